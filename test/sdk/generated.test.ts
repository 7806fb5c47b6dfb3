/** The generated parts of the SDK match the API document. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { Troupe } from '@troupe/sdk'
import { type ApiDocument, operationsOf } from '../../sdk/generate/document.ts'
import { methodsOf } from '../../sdk/generate/methods.ts'
import { generatedFiles } from '../../sdk/generate/write.ts'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'

const folder = resolve(import.meta.dir, '../../sdk/src/generated')
let server: Server
let document: ApiDocument
beforeAll(async () => {
  server = await openTroupe()
  document = await (await fetch(`${server.url}/docs/json`)).json()
})
afterAll(() => server?.stop())

test.each(['schemas.ts', 'resources.ts', 'operations.ts'])(
  '%s is up to date; else run: bun sdk/generate.ts',
  async (name) => {
    const files = await generatedFiles(document)
    expect(Object.keys(files)).toContain(name)
    expect((await Bun.file(join(folder, name)).text()) === files[name]).toBe(true)
  },
)

test('a client has a method for every operation', () => {
  const troupe = new Troupe({ baseUrl: server.url }) as unknown as Record<string, Record<string, unknown>>
  const called = new Set<string>()
  for (const [resource, methods] of methodsOf(operationsOf(document))) {
    for (const { name, method, path } of methods) {
      expect(troupe[resource]?.[name], `${resource}.${name}`).toBeFunction()
      called.add(`${method} ${path}`)
    }
  }
  const all = operationsOf(document).map(
    ({ method, path }) => `${method} ${path.replace(/\/actors\/[a-z-]+\//, '/actors/{kind}/')}`,
  )
  expect([...new Set(all)].filter((operation) => !called.has(operation))).toEqual([])
})
