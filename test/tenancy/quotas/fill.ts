/** Fills a table of the store directly: over the API it would take minutes. */
import { Database } from 'bun:sqlite'
import { newId } from '../../../storage/ids.ts'

interface Row {
  [column: string]: string | number | null
}

/** Inserts copies of a row with these changes; each copy has an id of its own. */
function insertCopies(database: Database, table: string, row: Row, changes: readonly Row[]): void {
  const columns = Object.keys(row)
  const insert = database.query(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`)
  database.transaction(() => {
    for (const changed of changes) {
      const copy: Row = { ...row, ...changed }
      if (row.id !== undefined) copy.id = newId(String(row.id).slice(0, 3) as never)
      insert.run(...columns.map((column) => copy[column]!))
    }
  })()
}

function openBusy(file: string): Database {
  const database = new Database(file)
  database.run('pragma busy_timeout = 5000')
  return database
}

/** Copies a row of a table until there is room for only one more; `changes` apply to the copies. */
export function fillUp(
  file: string,
  table: string,
  owner: string,
  ownerId: string,
  limit: number,
  changes: (index: number) => Row = () => ({}),
): void {
  const database = openBusy(file)
  const found = database.query<Row, [string]>(`select * from ${table} where ${owner} = ?`).all(ownerId)
  const row = found[0]!
  const copies = Array.from({ length: Math.max(0, limit - 1 - found.length) }, (_, place) => {
    const index = found.length + place
    return { ...('name' in row && { name: `copy-${index}` }), ...changes(index) }
  })
  insertCopies(database, table, row, copies)
  database.close()
}

/** Copies the newest of an owner's rows, which are numbered, so that there is a number for only one more. */
export function numberUp(
  file: string,
  [table, owner, ownerId]: [table: string, owner: string, ownerId: string],
  limit: number,
  number = 'number',
): void {
  const database = openBusy(file)
  const newest = `select * from ${table} where ${owner} = ? order by ${number} desc limit 1`
  const row = database.query<Row, [string]>(newest).get(ownerId)!
  insertCopies(database, table, row, [{ [number]: limit - 1 }])
  database.close()
}
