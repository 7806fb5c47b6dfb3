/** Runner pools in the settings of an organization, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const pools = '/o/default/settings/runners'
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const press = (name: string | RegExp) => world.fireEvent.click(world.screen.getAllByRole('button', { name })[0]!)
const submit = (label: string | RegExp) =>
  world.fireEvent.submit(world.screen.getByLabelText(label, { selector: 'input, select, textarea' }).closest('form')!)
const newPool = async (name: string) => (await troupe.owner.post('/api/v1/runner-pools', { name })).body.data
const newToken = async (poolId: string) =>
  (await troupe.owner.post(`/api/v1/runner-pools/${poolId}/tokens`, {})).body.data

test("the server's pools are shown to the owner of the first organization", async () => {
  await world.show(pools, { troupe })
  await world.screen.findByText('Deployment')
  await world.screen.findByText('all organizations')
})

test('a pool is created, and its first token is shown once', async () => {
  await world.show(pools, { troupe })
  await world.screen.findByText('Deployment')
  press('New pool')
  type(world.screen.getByLabelText('Name'), 'Basement')
  world.fireEvent.click(world.screen.getByLabelText('Exclusive'))
  submit('Name')
  await world.screen.findByText('No tokens yet')
  await world.screen.findByText('this organization, exclusive')
  press('New token')
  const secret = (await world.screen.findByText(/^trr_[0-9A-Za-z]{49}$/)).textContent as string
  press('I have stored it')
  await world.screen.findByText(`${secret.slice(0, 8)}…`)
  expect(document.body.textContent).not.toContain(secret)
  const { items } = (await troupe.owner.get('/api/v1/runner-pools')).body.data
  expect(items[0]).toMatchObject({ name: 'Basement', exclusive: true })
})

test('a token is rotated with an overlap, and revoked', async () => {
  const pool = await newPool('Attic')
  const token = await newToken(pool.id)
  await world.show(`${pools}/${pool.id}`, { troupe })
  await world.screen.findByText(`${token.prefix}…`)
  press(`Rotate ${token.prefix}…`)
  const overlap = world.screen.getByLabelText('Expire the old one') as HTMLSelectElement
  expect(overlap.value).toBe('3600')
  type(overlap, '86400')
  submit('Expire the old one')
  const secret = (await world.screen.findByText(/^trr_[0-9A-Za-z]{49}$/)).textContent as string
  press('I have stored it')
  await world.screen.findByText(`${secret.slice(0, 8)}…`)
  const { items } = (await troupe.owner.get(`/api/v1/runner-pools/${pool.id}/tokens`)).body.data
  const old = items.find(({ id }: { id: string }) => id === token.id)
  expect(Date.parse(old.expiresAt)).toBeGreaterThan(Date.now() + 86_000_000)
  press(`Revoke ${token.prefix}…`)
  press('Revoke')
  await world.screen.findByText('revoked')
})

test("the operator's token has no actions", async () => {
  const [first] = (await troupe.owner.get('/api/v1/runner-pools')).body.data.items.slice(-1)
  await world.show(`${pools}/${first.id}`, { troupe })
  await world.screen.findByText('TROUPE_RUNNER_TOKEN')
  await world.screen.findByText('set in configuration')
  expect(world.screen.queryByRole('button', { name: /^(Rotate|Revoke)/ })).toBeNull()
})

test('a pool is renamed and deleted', async () => {
  const pool = await newPool('Cellar')
  await world.show(`${pools}/${pool.id}`, { troupe })
  await world.screen.findByText('No tokens yet')
  press('Edit')
  type(world.screen.getByLabelText('Name'), 'Wine cellar')
  submit('Name')
  await world.screen.findByRole('heading', { name: 'Wine cellar' })
  press('Delete')
  const dialogs = world.screen.getAllByRole('button', { name: 'Delete' })
  world.fireEvent.click(dialogs.at(-1)!)
  await world.screen.findByText('all organizations')
  expect((await troupe.owner.get(`/api/v1/runner-pools/${pool.id}`)).status).toBe(404)
})
