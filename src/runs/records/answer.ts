/** Caches the JSON of a run for each version of its row. */
import type { RunRow } from '../../../storage/tables.ts'
import { JsonText } from '../../platform/http/answers/json-text.ts'
import type { FoundRun } from '../access.ts'
import { presentRun } from '../present.ts'

/** Rows are replaced when they change, so a cached text is valid as long as its row is in memory. */
const answers = new WeakMap<RunRow, JsonText>()

export function runAnswer({ row, context }: FoundRun): JsonText {
  let answer = answers.get(row)
  if (!answer) {
    answer = new JsonText(JSON.stringify({ data: presentRun(row, context) }))
    answers.set(row, answer)
  }
  return answer
}
