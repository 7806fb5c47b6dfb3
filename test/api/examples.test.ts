/** Every body that people write has an example in the API document. `document.test.ts` holds examples against their schemas. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../support/troupe.ts'

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}

/** Runners write the former, and the console the latter; both have pages of their own. */
const withoutExample = /\/attempts\/|\/runner\/leases$|^\/api\/v1\/actors\//

let troupe: Troupe
let bodies: { method: string; path: string; operationId: string; example: unknown }[]
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  const { paths } = (await (await fetch(`${troupe.url}/docs/json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  bodies = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, requestBody }]) => {
      const json = requestBody?.content['application/json']
      return json ? [{ method, path, operationId, example: json.example }] : []
    }),
  )
})
afterAll(() => troupe?.stop())

test('every body that people write has an example', () => {
  const missing = bodies.filter(({ path, example }) => example === undefined && !withoutExample.test(path))
  expect(missing.map(({ operationId }) => operationId)).toEqual([])
  expect(bodies.length).toBeGreaterThan(80)
})
