/**
 * Canonical JSON (RFC 8785), equal to the output of the `canonicalize` package. That package examines and copies each
 * string at every level, which took 100 ms for the attachments of a run; this uses the engine and copies once.
 */

/** Throws `RangeError` for unpaired surrogates and for numbers that JSON does not have. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    let text = '['
    for (let at = 0; at < value.length; at++) text += (at === 0 ? '' : ',') + canonical(value[at] ?? null)
    return `${text}]`
  }
  if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    let text = '{'
    for (const name of Object.keys(fields).sort()) {
      if (fields[name] === undefined) continue
      text += `${text === '{' ? '' : ','}${leaf(name)}:${canonical(fields[name])}`
    }
    return `${text}}`
  }
  return leaf(value)
}

function leaf(value: unknown): string {
  if (typeof value === 'string' && !value.isWellFormed()) throw new RangeError('A string has an unpaired surrogate.')
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON has no such number.')
  return JSON.stringify(value) ?? 'null'
}
