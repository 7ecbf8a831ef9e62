// What the service answers, as its OpenAPI document describes it; of that, what the page uses.

export type Value = number | string | boolean;
export type Arm = Record<string, Value>;
export type Direction = "maximize" | "minimize";
export type Phase = "running" | "waiting" | "finished" | "failed";
export type Role = "read" | "work" | "admin";

export interface Me {
  name: string;
  role: Role;
  /** This one, and those that it includes. */
  roles: Role[];
  studies: string[];
  version: string;
}

export interface StudyItem {
  name: string;
  state: string;
  phase: Phase;
  is_over: boolean;
  why?: string;
  direction: Direction;
  optimizer: string;
  events: number;
  pulls: number;
  created: number;
  updated: number;
  last: { kind: string; at: number } | null;
  forked_from?: string;
  open_by?: string;
}

export interface StudyList {
  studies: StudyItem[];
  next: string | null;
  now: number;
}

export interface Knob {
  name: string;
  type: "real" | "integer" | "choice";
  low?: number;
  high?: number;
  scale?: "linear" | "log";
  step?: number;
  choices?: string[];
}

/** On what is measured beside the reward. */
export interface Limit {
  metric: string;
  min?: number;
  max?: number;
  factor?: number;
}

export interface Specification {
  direction: Direction;
  space: Knob[];
  optimizer: { name: string } & Record<string, unknown>;
  confidence: number;
  system?: Record<string, unknown> & { baseline?: Arm };
  limit?: Limit[];
  budget?: Record<string, unknown>;
  [key: string]: unknown;
}

export interface Study extends StudyItem {
  id: number;
  specification: Specification;
}

export interface Uplift {
  mean: number;
  low: number | null;
  high: number | null;
  level: number;
  arm_mean: number;
  baseline_mean: number;
  baseline_low: number | null;
  baseline_high: number | null;
  arm_pulls: number;
  baseline_pulls: number;
}

export interface Metric {
  mean: number;
  lower: number | null;
  upper: number | null;
  pulls: number;
  limit?: "kept" | "unsure" | "broken";
}

export interface Best {
  arm: Arm;
  mean: number;
  lower: number | null;
  upper: number | null;
  level: number;
  pulls: number;
  rivals: number;
  basis: string;
  by_model?: { lower: number; upper: number };
  uplift?: Uplift;
  metrics?: Record<string, Metric>;
  confirmed?: boolean;
  verdict?: string;
  warning?: string;
  words: BestWords;
}

/** What to do, how certain that is, and why. */
export interface BestWords {
  advice: "set" | "so_far" | "keep" | "same";
  certainty: string;
  tone: "plain" | "good" | "bad" | "unsure";
  uplift?: "plain" | "good" | "bad" | "unsure";
  sentences: string[];
  details: string[];
}

export interface Summary {
  t: number;
  nodes: number;
  depth: number;
  switches: number;
  in_flight: number;
  observed: number;
  penalized: number;
  out_of_range: number;
  failures: number;
  changes: number;
  order: string | null;
  commands: PossibleCommand[];
  setting?: Arm;
  events: number;
  pulls: number;
  updated: number;
  /** The server's clock. */
  now?: number;
  state: string;
  phase: Phase;
  is_over: boolean;
  why?: string;
  open_by?: string;
  warning?: string;
  /** Where the range of rewards that was given does not fit: theirs. */
  fitting_range?: [number, number];
  /** About how many pulls rewards take to settle, where nobody has said so. */
  settling?: number;
}

export interface PossibleCommand {
  command: "pause" | "resume" | "hold" | "baseline" | "confirm" | "end";
  pulls?: number;
  least_pulls?: number;
}

export interface Glance {
  name: string;
  direction: Direction;
  phase: Phase;
  why?: string;
  pulls: number;
  events: number;
  updated: number;
  /** The server's clock. */
  now?: number;
  best: Best | null;
  spark: number[];
  baseline_mean: number | null;
}

export type MarkKind = string;
export interface Mark {
  number: number;
  pull: number;
  at: number;
  kind: MarkKind;
  text: string;
}

type Column = (number | null)[];
export interface History {
  by: "pulls" | "time";
  /** No time before the first event. */
  extent: { pulls: [number, number]; time: [number, number] | null };
  range: [number, number];
  raw: boolean;
  number: number[];
  pull: number[];
  at: number[];
  count: number[];
  mean: Column;
  deviation: Column;
  least: Column;
  largest: Column;
  changes: number[];
  failures: number[];
  arm?: (Arm | null)[];
  baseline: { pull: number[]; at: number[]; count: number[]; mean: Column; least: Column; largest: Column };
  marks: Mark[];
  marks_left_out: number;
}

export interface KnownArm {
  arm: Arm;
  pulls: number;
  mean: number | null;
  lower: number | null;
  upper: number | null;
  failed?: boolean;
}
export interface Arms {
  arms: KnownArm[];
  count: number;
}

export interface Knobs {
  knobs: { name: string; share: number; clear: boolean }[];
  basis: string;
}

export interface TreeNode {
  path: string;
  arm: Arm;
  pulls: number;
  mean: number;
  upper: number | null;
  bound: number | null;
  /** Of all arms in the cell; older servers do not say. */
  pulls_in?: number;
  mean_in?: number | null;
  leaf: boolean;
  depth: number;
  share: number;
  cell: Record<string, Value[]>;
}
export interface Tree {
  nodes: TreeNode[];
  left_out?: number;
}

/** f along one knob, or two: rows of y, then x. */
export interface Estimate {
  /** What the intervals are of: what a model sees, or the rewards of arms. */
  by?: "model" | "arms";
  x: { name: string; values: Value[] };
  y?: { name: string; values: Value[] };
  through: Arm;
  mean: Column;
  lower: Column;
  upper: Column;
  bound: Column;
  pulls: number[];
}

export interface JournalEvent {
  number: number;
  at: number;
  kind: string;
  arm?: Arm;
  [field: string]: unknown;
}
export interface Events {
  events: JournalEvent[];
  next: number | null;
  last: number;
}

export interface SpecificationAnswer {
  specification: Specification;
  /** The same as a study file. */
  toml: string;
  options: { optimizer: OptionSetting[]; system: OptionSetting[] };
}

export interface OptionSetting {
  name: string;
  value: Value;
  is_default: boolean;
}

export interface Catalogue {
  optimizers: { name: string; line: string }[];
  parameters: { type: string; fields: { name: string; default: Value | null }[] }[];
  defaults: { optimizer: string; parameter: string; direction: string };
}

export interface Checked {
  ok: boolean;
  toml?: string;
  has_comments?: boolean;
  given?: Record<string, unknown>;
  specification?: Specification;
  fork?: { begins_with: "journal" | "rewards" | "nothing"; text: string };
  errors: { field: string; line: number; message: string }[];
  warnings: { is_error: boolean; text: string }[];
}

export interface Problem {
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: { field: string; code: string; message: string }[];
  request_id?: string;
}
