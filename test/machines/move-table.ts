/**
 * Reads a table of moves: states in rows, events in columns. An entry is the next state; `=` stands for the state of the
 * row.
 */
export function movesOf(text: string) {
  const [header = '', ...lines] = text.trim().split('\n')
  const columns = header.trim().split(/\s+/)
  const cells = lines.flatMap((line) => {
    const [given = '', ...entries] = line.trim().split(/\s+/)
    return entries.map((entry, index) => ({
      given,
      event: columns[index] as string,
      next: entry === '=' ? given : entry,
    }))
  })
  return { columns, cells }
}
