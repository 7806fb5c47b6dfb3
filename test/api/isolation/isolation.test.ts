/**
 * Isolation: every operation of the API document is called with credentials that must be rejected.
 * An operation without its row in the matrix fails. Source: contract 0, "Foreign = missing"; contract 1.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type IdPrefix, newId } from '../../../storage/ids.ts'
import type { Reply } from '../../support/client.ts'
import { operations } from './document.ts'
import type { Level } from './matrix/rows.ts'
import { matrix } from './matrix.ts'
import { type Credential, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.troupe.stop())

const documented = await operations()
const typeId = /^[a-z]+_[0-9a-z]{26}$/
const reads = new Set(['get', 'head'])
type Expected = number | 'admitted'
type Elsewhere = Exclude<Credential, 'owner' | 'stranger' | 'expired'>

/** What keys of another organization, and keys bound elsewhere, must get: for reads and for writes. */
const expectations: Partial<Record<Level, Record<Elsewhere, [Expected, Expected]>>> = {
  catalogue: both('admitted', 'admitted', 'admitted', 'admitted'),
  list: both('admitted', 'admitted', 'admitted', 'admitted'),
  tallied: both('admitted', 'admitted', 'admitted', 403),
  create: both('admitted', 404, 404, 404),
  platform: both('admitted', 404, 404, 404),
  whole: both('admitted', 403, 403, 403),
  organization: both(404, 403, 403, 403),
  ownOrganization: both(403, 403, 403, 403),
  project: {
    ...both(404, 404, 'admitted', 'admitted'),
    otherEnvironment: ['admitted', 403],
    otherAgent: ['admitted', 403],
  },
  environment: { ...both(404, 404, 404, 'admitted'), otherAgent: ['admitted', 403] },
  environmentAsAWhole: both(404, 404, 404, 403),
  agent: { ...both(404, 404, 'admitted', 404), otherEnvironment: ['admitted', 403] },
  agentThere: both(404, 404, 404, 404),
  ofAgent: { ...both(404, 404, 404, 404), otherAgent: [404, 403] },
  madeThere: both(404, 404, 404, 403),
  run: both(404, 404, 404, 404),
  named: { ...both('admitted', 404, 404, 'admitted'), otherAgent: ['admitted', 403] },
  // simulating an event changes nothing
  actor: both(404, 404, 404, 'admitted'),
}

function both(foreign: Expected, otherProject: Expected, otherEnvironment: Expected, otherAgent: Expected) {
  const twice = (expected: Expected): [Expected, Expected] => [expected, expected]
  return {
    foreign: twice(foreign),
    otherProject: twice(otherProject),
    otherEnvironment: twice(otherEnvironment),
    otherAgent: twice(otherAgent),
  }
}

test('every operation of the document has a row, and every row an operation', () => {
  expect(
    Object.keys(matrix).sort(),
    'Each operation of the API document needs its row in test/api/isolation/matrix/<wing>.ts.',
  ).toEqual(documented.map(({ operationId }) => operationId).sort())
})

const guarded = documented.filter(({ permission }) => permission !== undefined)

describe.each(guarded)('$operationId', (operation) => {
  const { operationId, method, permission } = operation
  const row = matrix[operationId]
  if (!row) return
  const isAdmitted = ({ status }: { status: number }) => ![401, 403, ...(row.missing ? [] : [404])].includes(status)

  test('without a credential it returns 401', async () => {
    const { status, body } = await world.ask(operation, row, 'stranger')
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
  })

  test('an expired key returns 401', async () => {
    const { status, body } = await world.ask(operation, row, 'expired')
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key'])
  })

  test(`without ${permission} it returns ${row.hidden ? 404 : 403}`, async () => {
    const { status, body } = await world.askWithout(operation, row, permission as string)
    if (row.hidden) expect(status).toBe(404)
    else expect([status, body.error.details]).toEqual([403, { permission }])
  })

  test('without it, a missing resource gets the answer of an existing one', async () => {
    const ids = Object.entries(row.path?.(world.ours) ?? {}).filter(([name]) => name !== 'organizationIdOrSlug')
    const answers = [row]
    for (const [name, id] of ids.filter(([, id]) => typeId.test(id))) {
      const missing = newId(id.slice(0, id.indexOf('_')) as IdPrefix)
      answers.push({ ...row, path: (known) => ({ ...row.path?.(known), [name]: missing }) })
    }
    const [existing, ...others] = await Promise.all(
      answers.map((each) => world.askWithout(operation, each, permission as string)),
    )
    const told = ({ status, body }: Reply) => [status, { ...body.error, requestId: '' }]
    for (const other of others) expect(told(other)).toEqual(told(existing as Reply))
  })

  const expected = expectations[row.level]
  if (expected) {
    test.each(Object.entries(expected) as [Elsewhere, [Expected, Expected]][])(
      'the key %s gets the documented response',
      async (credential, [read, write]) => {
        const isLook = reads.has(method) || row.changesNothing || row.level === 'actor'
        const documented = isLook ? read : write
        // if the operation lists no 403
        const wanted = documented === 403 && row.hidden ? 404 : documented
        if (wanted === 'admitted' && (row.destroys || credential === 'foreign')) return
        const answer = await world.ask(operation, row, credential)
        if (wanted === 'admitted')
          expect({ answer: answer.body?.error?.code, admitted: isAdmitted(answer) }).toMatchObject({ admitted: true })
        else expect(answer.status).toBe(wanted)
      },
    )
  }

  if (row.level === 'whole' && row.path) {
    test('a key of another organization returns 404', async () => {
      expect((await world.ask(operation, row, 'foreign')).status).toBe(404)
    })
  }

  if (!row.destroys) {
    test('the key of an owner is admitted', async () => {
      const answer = await world.ask(operation, row, 'owner')
      expect({ code: answer.body?.error?.code, admitted: isAdmitted(answer) }).toMatchObject({ admitted: true })
    })
  }
})

describe.each(['/api/v1/projects', '/api/v1/agent-runs'])('the list %s', (path) => {
  test.each(['foreign', 'otherProject'] as const)('shows the key %s none of our items', async (credential) => {
    const { status, body } = await world.client(credential).get(path)
    expect(status).toBe(200)
    const text = JSON.stringify(body)
    for (const id of [world.ours.project, world.ours.run]) expect(text).not.toContain(id)
  })
})
