/** Serializes outputs, which may be megabytes, once for a step and the run that ends with it. */

/** Shorter outputs are cheaper to serialize twice. */
const longLength = 64 * 1024
let last: { text: string; json: string } | undefined

/** The JSON of an output. */
export function outputJson(output: unknown): string {
  if (typeof output !== 'string' || output.length < longLength) return JSON.stringify(output)
  if (last?.text === output) return last.json
  const json = JSON.stringify(output)
  // cached for two ticks: the end of a run follows that of its last step
  if (!last) setTimeout(() => (last = undefined), 1_000).unref()
  last = { text: output, json }
  return json
}
