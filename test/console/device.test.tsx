/** The page on which a person grants the command line an API key. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { api } from '../support/client.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const path = '/api/auth/device-authorizations'
const ask = () =>
  world.act(async () => (await api(troupe.url).post(path, { clientName: 'troupe CLI on laptop' })).body.data)
const exchange = (deviceCode: string) => world.act(() => api(troupe.url).post(`${path}/token`, { deviceCode }))
const press = (name: string | RegExp) => world.fireEvent.click(world.screen.getByRole('button', { name }))

test('a signed-in user sees what requests access, approves it, and learns where the key is listed', async () => {
  const { deviceCode, userCode } = await ask()
  await world.show(`/device?code=${userCode}`, { troupe })
  await world.screen.findByDisplayValue(userCode)
  press('Continue')
  await world.screen.findByText('troupe CLI on laptop')
  expect((await exchange(deviceCode)).status).toBe(409)
  press('Approve')
  await world.screen.findByRole('heading', { name: 'Approved' })
  expect(world.screen.getByRole('link', { name: 'API keys' }).getAttribute('href')).toBe('/o/default/settings/keys')
  expect((await exchange(deviceCode)).status).toBe(201)
})

test('a user who is not signed in does so first, and can deny', async () => {
  const { deviceCode, userCode } = await ask()
  await world.show(`/device?code=${userCode}`, { troupe, signedIn: false })
  world.fireEvent.change(await world.screen.findByLabelText('Email'), { target: { value: ownerEmail } })
  world.fireEvent.change(world.screen.getByLabelText('Password'), { target: { value: ownerPassword } })
  press('Sign in')
  await world.screen.findByDisplayValue(userCode)
  press('Continue')
  await world.screen.findByText('troupe CLI on laptop')
  press('Deny')
  await world.screen.findByRole('heading', { name: 'Denied' })
  expect((await exchange(deviceCode)).status).toBe(401)
})

test('an unknown code is reported at the form', async () => {
  await world.show('/device', { troupe })
  world.fireEvent.change(await world.screen.findByLabelText('Code'), { target: { value: 'BCDF-GHJK' } })
  press('Continue')
  await world.screen.findByText(/no such/i)
})
