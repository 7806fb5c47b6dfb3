/** Texts that the engine generates for each row: the text of one row with expressions in some places. */

const mark = '\u0001'

/** Marks the place of a computed value in JSON. */
export type Expression = string

/** A computed number in JSON. */
export const moved = (sql: string): Expression => `${mark}number ${sql}${mark}`

/** A computed part of a JSON string. */
export const id = (sql: string): Expression => `${mark}text ${sql}${mark}`

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** The expression that writes the JSON, with the computed values in their places. */
export function textWith(json: string): string {
  // JSON writes the mark as an escape, and a computed number as a string
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
