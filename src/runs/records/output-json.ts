/** The JSON of outputs: a step and the run that ends with it say the same, and a text of megabytes is written once. */

/** Shorter texts cost less to write again. */
const longLength = 64 * 1024
let last: { text: string; json: string } | undefined

/** What `JSON.stringify` makes of an output. */
export function outputJson(output: unknown): string {
  if (typeof output !== 'string' || output.length < longLength) return JSON.stringify(output)
  if (last?.text === output) return last.json
  const json = JSON.stringify(output)
  // kept for this turn and the next one: the end of a run comes behind that of its last step
  if (!last) setTimeout(() => (last = undefined), 1_000).unref()
  last = { text: output, json }
  return json
}
