/**
 * Canonical JSON (RFC 8785) of values that JSON can hold: what the `canonicalize` package makes of them, to the letter. That
 * one looks at each character of each text for halves of surrogates and copies it at every level above, which took 100 ms
 * for the attachments that a run may have; here the engine itself looks, and copies once.
 */

/** Throws `RangeError` for a text with half of a surrogate pair, and for numbers that JSON does not have. */
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
  if (typeof value === 'string' && !value.isWellFormed()) throw new RangeError('A text has half of a surrogate pair.')
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON has no such number.')
  return JSON.stringify(value) ?? 'null'
}
