/** Texts that the engine generates for each row: the text of one row with expressions in some places. */

const mark = '\u0001'

/** Stands in a value, until it is JSON, for what the engine computes. */
export type Expression = string

/** A number in JSON that is computed. */
export const moved = (sql: string): Expression => `${mark}number ${sql}${mark}`

/** A part of a text in JSON that is computed. */
export const id = (sql: string): Expression => `${mark}text ${sql}${mark}`

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** The expression that writes the JSON, with what is computed in its places. */
export function textWith(json: string): string {
  // JSON writes the mark as an escape, and a number that is computed as a text
  const text = json.replaceAll('\\u0001', mark)
  const places = new RegExp(`"${mark}number ([^${mark}]+)${mark}"|${mark}text ([^${mark}]+)${mark}`, 'g')
  const parts: string[] = []
  let from = 0
  for (const place of text.matchAll(places)) {
    parts.push(literal(text.slice(from, place.index)), `(${place[1] ?? place[2]})`)
    from = place.index + place[0].length
  }
  return [...parts, literal(text.slice(from))].join(' || ')
}
