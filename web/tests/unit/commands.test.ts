import { expect, test } from "vitest";
import { commandWords } from "../../src/words/commands";

test("a study that was ended is reopened, and one that waits goes on", () => {
  expect(commandWords("resume", "end").label).toBe("Reopen");
  expect(commandWords("resume", "pause").label).toBe("Resume");
});
