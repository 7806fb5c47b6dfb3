/** Import of operations in the console, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { merged } from '../../../src/console/pages/definitions/import/merged.ts'
import { largeDocument } from '../../automation/imports/documents.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let path: string
let page: string
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  await import('../../../src/console/pages/definitions/definition.tsx')
  const project = (await troupe.owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data
  const { id } = (
    await troupe.owner.post(`/api/v1/projects/${project.id}/definitions`, { name: 'shop', kind: 'operations' })
  ).body.data
  path = `/api/v1/projects/${project.id}/definitions/${id}`
  page = `/o/default/p/${project.id}/definitions/${id}`
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const press = async (name: string | RegExp) =>
  world.fireEvent.click(await world.screen.findByRole('button', { name, hidden: true }))

test('a document is pasted, operations are chosen, reviewed and published', async () => {
  await world.show(page, { troupe })
  world.fireEvent.click(await world.screen.findByRole('radio', { name: 'New revision' }))
  await press('Import operations')
  const text = await world.screen.findByLabelText('Or paste its text')
  world.fireEvent.change(text, { target: { value: JSON.stringify(largeDocument().document) } })
  world.fireEvent.change(world.screen.getByLabelText('Binding key'), { target: { value: 'shop' } })
  world.fireEvent.submit(text.closest('form')!)
  await world.screen.findByText('https://eu.shop.example.com/v1')
  await press('Choose none')
  world.fireEvent.click(world.screen.getByLabelText(/orders_list/))
  world.fireEvent.click(world.screen.getByLabelText(/orders_create/))
  await press('Import 2 operations')
  await press('Publish revision 1')
  await world.screen.findByText('Revision 1 published')
  const { items } = (await troupe.owner.get(`${path}/revisions`)).body.data
  const { operations } = items[0].source as { operations: { name: string }[] }
  expect(operations.map(({ name }) => name)).toEqual(['orders_list', 'orders_create'])
})

test('operations of a large document are searched and chosen first, and only their part is sent', async () => {
  await world.show(page, { troupe })
  world.fireEvent.click(await world.screen.findByRole('radio', { name: 'New revision' }))
  await press('Import operations')
  const { document } = largeDocument()
  // more values than a request may have
  const many = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => [`/bulk/${index}`, { get: { operationId: `bulk${index}` } }]),
  )
  const file = new File([JSON.stringify({ ...document, paths: { ...many, ...document.paths } })], 'large.json')
  const field = await world.screen.findByLabelText('File')
  world.fireEvent.change(field, { target: { files: [file] } })
  world.fireEvent.change(world.screen.getByLabelText('Binding key'), { target: { value: 'shop' } })
  world.fireEvent.submit(field.closest('form')!)
  await world.screen.findByText(/has 30,040 operations/)
  world.fireEvent.change(world.screen.getByLabelText('Search operations'), { target: { value: 'POST order' } })
  const list = world.screen.getByRole('list', { name: 'Operations of the document', hidden: true })
  expect([...list.querySelectorAll('code')].map(({ textContent }) => textContent)).toEqual(['orders/create'])
  world.fireEvent.click(world.screen.getByLabelText(/orders\/create/))
  await press('Review 1')
  await world.screen.findByText('https://eu.shop.example.com/v1')
  await press('Import 1 operation')
  await world.screen.findByText(/Publish revision/)
})

test('a document is read as YAML, too', async () => {
  await world.show(page, { troupe })
  world.fireEvent.click(await world.screen.findByRole('radio', { name: 'New revision' }))
  await press('Import operations')
  const text = await world.screen.findByLabelText('Or paste its text')
  const yaml = `
openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets: { get: { operationId: listPets, summary: Lists pets } }
`
  world.fireEvent.change(text, { target: { value: yaml } })
  world.fireEvent.change(world.screen.getByLabelText('Binding key'), { target: { value: 'pets' } })
  world.fireEvent.submit(text.closest('form')!)
  await world.screen.findByLabelText(/listPets/)
})

test.each([
  ['openapi: [', 'The text is neither valid JSON nor valid YAML: Flow sequence in block collection'],
  ['- 1', 'The text is not an object.'],
  ['{"openapi": "3.1.0", "openapi": "3.0.0"}', 'The text has the key "openapi" twice in one object, again in line 1'],
])('a text that is not a document is reported at its field: %j', async (value, fault) => {
  await world.show(page, { troupe })
  world.fireEvent.click(await world.screen.findByRole('radio', { name: 'New revision' }))
  await press('Import operations')
  const text = await world.screen.findByLabelText('Or paste its text')
  world.fireEvent.change(text, { target: { value } })
  world.fireEvent.submit(text.closest('form')!)
  await world.screen.findByText((shown) => shown.startsWith(fault))
})

test('imported operations replace those with the same names', () => {
  const operation = (name: string, description: string) => ({ name, description }) as never
  const before = { operations: [operation('a', 'old'), operation('b', 'old')] }
  const all = merged(before, [operation('b', 'new'), operation('c', 'new')])
  expect(all.operations.map(({ name, description }) => [name, description])).toEqual([
    ['a', 'old'],
    ['b', 'new'],
    ['c', 'new'],
  ])
})
