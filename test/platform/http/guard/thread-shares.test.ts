/** An organization with expensive answers, however many it asks for, leaves the thread to the others in between. */
import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createGuarded, type Guarded } from '../../../../src/platform/http/guard/guarded.ts'
import { authenticatorOf, callerWith } from '../../../support/callers.ts'
import { testApp } from '../fixture.ts'

const requestsMax = 40
/** More than the longest answers that count as cheap. */
const spin = () => {
  for (const until = performance.now() + 3; performance.now() < until; );
}

const expensive = () => {
  spin()
  return {}
}
const cheap = () => ({})
const area = (guarded: Guarded) =>
  new Elysia()
    .use(guarded)
    .get('/expensive', expensive, { permission: 'projects:list' })
    .get('/cheap', cheap, { permission: 'projects:list' })
    .get('/public/expensive', expensive, { publicAccess: true })
    .get('/public/cheap', cheap, { publicAccess: true })

/** Requests that arrive in the same turn of the event loop, and the order of their answers. */
function openApp() {
  const authenticator = authenticatorOf((organizationId) =>
    callerWith({ organizationId: organizationId!, permissions: new Set(['projects:list']) }),
  )
  const addressOf = (request: Request) => request.headers.get('x-from') ?? ''
  const guarded = createGuarded({ ...testApp(), authenticator, addressOf })
  const { app } = testApp({ guarded, areas: [area(guarded)] })
  const answered: string[] = []
  const ask = async (name: string, path: string) => {
    // as the server begins requests: what one can do at once is done before the next one begins
    await new Promise(setImmediate)
    const headers = { authorization: name, 'x-from': name }
    const { status } = await app.handle(new Request(`http://localhost${path}`, { headers }))
    expect(status).toBe(200)
    answered.push(name)
  }
  return { ask, answered }
}

const isBefore = (answered: string[], name: string, count: number) => answered.indexOf(name) < count

test.each(['', '/public'])('a request of another organization is answered among the first: %s', async (prefix) => {
  const { ask, answered } = openApp()
  const busy = Array.from({ length: requestsMax }, () => ask('busy', `${prefix}/expensive`))
  await Promise.all([ask('other', `${prefix}/cheap`), ask('third', `${prefix}/expensive`)])
  expect(isBefore(answered, 'other', 3) && isBefore(answered, 'third', 3)).toBe(true)
  await Promise.all(busy)
  expect(answered).toHaveLength(requestsMax + 2)
})

test('requests that come later are answered before most of those that wait', async () => {
  const { ask, answered } = openApp()
  const busy = Array.from({ length: requestsMax }, () => ask('busy', '/expensive'))
  for (const other of ['one', 'two', 'three']) await ask(other, '/expensive')
  expect(answered.length).toBeLessThan(requestsMax / 2)
  await Promise.all(busy)
})

test('organizations that wait have their turns one after another', async () => {
  const { ask, answered } = openApp()
  const names = ['one', 'two', 'three']
  const all = names.flatMap((name) => Array.from({ length: 10 }, () => ask(name, '/expensive')))
  await Promise.all(all)
  // nobody gets far ahead
  const lead = answered.map((_, index) => {
    const counts = names.map((name) => answered.slice(0, index + 1).filter((each) => each === name).length)
    return Math.max(...counts) - Math.min(...counts)
  })
  expect(Math.max(...lead)).toBeLessThan(4)
})

test('cheap requests of an organization that waits are answered as well', async () => {
  const { ask, answered } = openApp()
  const paths = Array.from({ length: requestsMax }, (_, index) => (index % 5 === 0 ? '/expensive' : '/cheap'))
  await Promise.all(paths.map((path) => ask('one', path)))
  await ask('one', '/cheap')
  expect(answered).toHaveLength(requestsMax + 1)
})
