// Writes generated/schema.d.ts, the types of the server's answers, from the OpenAPI document of the service.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const { factory, SyntaxKind } = ts;
const number = factory.createKeywordTypeNode(SyntaxKind.NumberKeyword);
const nothing = factory.createLiteralTypeNode(factory.createNull());
const pair = factory.createTupleTypeNode([number, number]);

const document = execFileSync("../build/tools/print_openapi", { maxBuffer: 1e8 });
const types = await openapiTS(JSON.parse(document), {
  transform(schema, { path }) {
    if (path?.endsWith("/schemas/Whole")) return number; // numbers beyond a double are sent as text, which the page does not show
    if (schema.minItems !== 2 || schema.maxItems !== 2) return undefined;
    return [schema.type].flat().includes("null") ? factory.createUnionTypeNode([pair, nothing]) : pair;
  },
});
mkdirSync("generated", { recursive: true });
writeFileSync("generated/schema.d.ts", astToString(types));
