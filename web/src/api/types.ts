// Short names for the types of the service's answers, which `npm run types` generates from the OpenAPI document.
import type { components } from "../../generated/schema";

type Schemas = components["schemas"];

export type Arm = Schemas["Arm"];
export type Value = Arm[string];
export type Phase = Schemas["Phase"];
export type StudyItem = Schemas["StudyItem"];
export type StudyList = Schemas["StudyPage"];
export type Study = Schemas["Study"];
export type Direction = StudyItem["direction"];
export type Specification = Schemas["CompleteSpecification"];
export type SpecificationAnswer = Schemas["StudyFile"];
export type OptionSetting = Schemas["OptionSetting"];
export type Limit = NonNullable<Specification["limit"]>[number];
export type Best = Schemas["Best"];
export type BestWords = Best["words"];
export type Uplift = NonNullable<Best["uplift"]>;
export type Metric = NonNullable<Best["metrics"]>[string];
export type Summary = Schemas["Summary"];
export type PossibleCommand = Schemas["PossibleCommand"];
export type Glance = Schemas["Glance"];
export type History = Schemas["History"];
export type Mark = History["marks"][number];
export type KnownArm = Schemas["KnownArm"];
export type Arms = Schemas["Arms"];
export type Knobs = Schemas["Knobs"];
export type Estimate = Schemas["Estimate"];
export type Policy = Schemas["Policy"];
export type PolicyRow = Policy["rows"][number];
export type ContextRange = PolicyRow["where"][string];
export type ContextPart = Schemas["ContextPart"];
export type Catalogue = Schemas["Catalogue"];
export type Checked = Schemas["Checked"];
export type Me = Schemas["Me"];
export type Role = Me["role"];
export type EventKind = Schemas["Event"]["kind"];

/** Nodes with cells, as the page requests them. */
export type TreeNode = Required<Schemas["Node"]>;
export type Tree = Omit<Schemas["Tree"], "nodes"> & { nodes: TreeNode[] };

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key> = Union extends { [K in Key & string]?: infer Found } ? Found : never;
type AnyParameter = Schemas["Parameter"];
/** A parameter of any type, with the fields of all types. */
export type Knob = { [Key in KeysOf<AnyParameter>]?: ValueOf<AnyParameter, Key> } & { name: string };

/** An event of any version, which may have missing or additional fields. */
export interface JournalEvent {
  number: number;
  at: number;
  kind: string;
  arm?: Arm;
  [field: string]: unknown;
}
export type Events = Omit<Schemas["Entries"], "events"> & { events: JournalEvent[] };

/** A problem, from the server or from the page itself. */
export type Problem = Omit<Schemas["Problem"], "type" | "code"> & { code: string };
