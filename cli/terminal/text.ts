/** Text for a terminal: colored if supported, and without control sequences of others. */
import { styleText } from 'node:util'

type Stream = typeof process.stdout | typeof process.stderr
type Format = Parameters<typeof styleText>[0]

/** Whether the stream shows colors. `NO_COLOR` and `FORCE_COLOR` take precedence over the terminal. */
function hasColours(stream: Stream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR) return FORCE_COLOR !== '0'
  return stream.isTTY === true && TERM !== 'dumb'
}

/** The text in a color, if the stream shows colors. */
export const styled = (format: Format, text: string, stream: Stream = process.stdout): string =>
  hasColours(stream) ? styleText(format, text, { validateStream: false }) : text

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text of others without control characters, so that it cannot control the terminal; line breaks and tabs stay. */
export const plain = (text: string): string => text.replaceAll('\r\n', '\n').replace(controls, '')

/** The same on one line. */
export const oneLine = (text: string): string => plain(text).replaceAll(/\s+/g, ' ').trim()

/** Cut to this many characters, and within none. */
export function cut(text: string, charactersMax: number): string {
  const start = [...text.slice(0, 2 * charactersMax + 1)]
  return start.length > charactersMax ? `${start.slice(0, charactersMax - 1).join('')}…` : text
}

/** A table with aligned columns and dimmed headings. Each cell is on one line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(oneLine))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => Bun.stringWidth(row[column] ?? ''))),
  )
  const padded = (cell: string, width = 0) => cell + ' '.repeat(width - Bun.stringWidth(cell))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[column]))).join('  ')
  return [styled('dim', line(headings)), ...cells.map(line)].join('\n')
}

/** Names and values, one pair per line; a value may have a color. */
export const facts = (rows: readonly (readonly [name: string, value: string, format?: Format])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  const shown = (value: string, format?: Format) => (format ? styled(format, plain(value)) : plain(value))
  return rows.map(([name, value, format]) => `${styled('dim', name.padEnd(width))}  ${shown(value, format)}`).join('\n')
}

/** A time for people, in their time zone, to the second. */
export const time = (at: string | null | undefined): string =>
  at ? new Date(at).toLocaleString('sv-SE', { hour12: false }) : '–'
