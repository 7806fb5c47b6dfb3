/** Fills a table of the store directly: over the API it would take minutes. */
import { Database } from 'bun:sqlite'
import { newId } from '../../../storage/ids.ts'

/** Copies a row of a table until there is room for only one more; `changes` apply to the copies. */
export function fillUp(
  file: string,
  table: string,
  owner: string,
  ownerId: string,
  limit: number,
  changes: (index: number) => Record<string, string | number | null> = () => ({}),
): void {
  const database = new Database(file)
  database.run('pragma busy_timeout = 5000')
  const found = database.query(`select * from ${table} where ${owner} = ?`).all(ownerId) as Record<
    string,
    string | number
  >[]
  const row = found[0]!
  const columns = Object.keys(row)
  const insert = database.query(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`)
  database.transaction(() => {
    for (let index = found.length; index < limit - 1; index += 1) {
      const copy = { ...row, ...(row.id !== undefined && { id: newId(String(row.id).slice(0, 3) as never) }) }
      if ('name' in copy) copy.name = `copy-${index}`
      Object.assign(copy, changes(index))
      insert.run(...columns.map((column) => copy[column as keyof typeof copy]!))
    }
  })()
  database.close()
}

/** Copies the newest of an owner's rows, which are numbered, so that there is a number for only one more. */
export function numberUp(
  file: string,
  [table, owner, ownerId]: [table: string, owner: string, ownerId: string],
  limit: number,
  number = 'number',
): void {
  const database = new Database(file)
  database.run('pragma busy_timeout = 5000')
  const row = database
    .query(`select * from ${table} where ${owner} = ? order by ${number} desc limit 1`)
    .get(ownerId) as Record<string, string | number>
  const copy: typeof row = { ...row, [number]: limit - 1 }
  if (row.id !== undefined) copy.id = newId(String(row.id).slice(0, 3) as never)
  const columns = Object.keys(copy)
  database
    .query(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`)
    .run(...columns.map((column) => copy[column]!))
  database.close()
}
