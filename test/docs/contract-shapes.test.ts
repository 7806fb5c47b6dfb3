/** The fields and names that the published contract lists are those of the program. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTroupe, type Troupe } from '../support/troupe.ts'

const contract = readFileSync(join(import.meta.dir, '../../docs/requirement/contract.md'), 'utf8')

interface Schema {
  properties?: Record<string, { properties?: Record<string, { enum?: string[] }> }>
  required?: string[]
}
/** Records whose schema has another name. */
const schemaNames: Record<string, string> = {
  Delivery: 'WebhookDelivery',
  Attempt: 'DeliveryAttempt',
  latest: 'LatestCheckpoint',
  rebaseline: 'Rebaseline',
}
/** Records that the table does not describe by a list of fields, or that have no schema of their own. */
const withoutList = ['Tool', 'Usage']

const sections = contract.split(/^### /m).filter((section) => /^Contract \d+, Shapes\n/.test(section))
const rows = sections.flatMap((section) =>
  [...section.matchAll(/^\| `(\w+)` \| `([^`]*)`/gm)].map(([, record, fields]) => ({
    record: record as string,
    fields: (fields as string).split(' ').sort(),
  })),
)

let troupe: Troupe
let schemas: Record<string, Schema>
beforeAll(async () => {
  troupe = await openTroupe()
  schemas = (await (await fetch(`${troupe.url}/docs/json`)).json()).components.schemas
})
afterAll(() => troupe?.stop())

/** The names between a sentence's beginning and its end. */
function listed(pattern: RegExp): string[] {
  const [, ...lists] = pattern.exec(contract) ?? []
  return lists.flatMap((list) => list.split(' ')).sort()
}

describe('the shapes of the contract', () => {
  test.each(rows.filter(({ record }) => !withoutList.includes(record)))('$record', ({ record, fields }) => {
    const { properties = {}, required = [] } = schemas[schemaNames[record] ?? record] ?? {}
    const documented = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))
    expect(fields).toEqual(documented.sort())
  })

  test('are in tables', () => {
    expect(rows.length).toBeGreaterThan(30)
  })
})

test('the kinds of machines', async () => {
  const { body } = await troupe.owner.get('/api/v1/machines')
  const kinds = body.data.items.map(({ kind }: { kind: string }) => kind)
  expect(listed(/`\/actors` cover the kinds `([^`]*)`/)).toEqual(kinds.sort())
})

test('the subjects of events', () => {
  const types = schemas.Event?.properties?.subject?.properties?.type?.enum ?? []
  expect(listed(/`subject\.type`: `([^`]*)`, .* also `([^`]*)`/)).toEqual([...types].sort())
})
