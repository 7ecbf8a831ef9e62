import { expect, test } from "vitest";
import { oneAtATime } from "../../src/ui/asking";

const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

test("requests during a slow answer lead to one more request", async () => {
  const answers: (() => void)[] = [];
  const ask = oneAtATime(() => new Promise<void>((done) => answers.push(done)));
  ask();
  for (let i = 0; i < 5; ++i) ask();
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await soon();
  expect(answers).toHaveLength(2);
  answers[1]?.();
  await soon();
  expect(answers).toHaveLength(2);
  ask();
  expect(answers).toHaveLength(3);
});
