/** The output of a run. Source: contract 3, `outputSchema`; contract 5, `invalid_model_output`. */
import { checkValue } from '../../../platform/json-schemas/checks.ts'
import { SchemaFailure } from '../../../platform/json-schemas/verdict.ts'

type Schema = Record<string, unknown>

/** What the model is told besides the agent's instructions, so that its answer fits the schema. */
export const outputInstructions = (schema: Schema) =>
  `\n\nYour final answer must be a single JSON value without any other text. It must match this JSON Schema:\n${JSON.stringify(schema)}`

const fence = '```'

/** What stands between the fences of a block of code; anything else as it is. Linear: an answer may have megabytes. */
function withoutFence(text: string): string {
  const lineEnd = text.indexOf('\n')
  if (lineEnd === -1 || !text.startsWith(fence) || !text.endsWith(fence)) return text
  const language = text.slice(fence.length, lineEnd).trim()
  return language === '' || language === 'json' ? text.slice(lineEnd, -fence.length) : text
}

/** An answer as a value that matches the schema, or what is wrong with it. */
export async function readOutput(
  answer: string,
  schema: Schema,
  organizationId: string,
): Promise<{ value: unknown } | { problem: string }> {
  const text = answer.trim()
  let value: unknown
  try {
    value = JSON.parse(withoutFence(text))
  } catch {
    return { problem: 'The answer is not JSON.' }
  }
  try {
    const { problem } = await checkValue(schema, value, organizationId)
    return problem === null ? { value } : { problem: `The answer does not match the output schema: ${problem}` }
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    return { problem: `The answer cannot be checked by the output schema: ${error.message}` }
  }
}
