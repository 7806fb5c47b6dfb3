/** A body that arrives after the authority of its request has changed. Source: contract 0, "Order of checks". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { invalidApiKey } from '../../../../src/platform/http/answers/errors.ts'
import type { Authenticator, Caller } from '../../../../src/platform/http/guard/caller.ts'
import { permissions } from '../../../../src/platform/http/guard/permissions.ts'
import { callerWith } from '../../../support/callers.ts'
import { openWorld, type World } from '../../../support/world/world.ts'
import { testApp } from '../fixture.ts'

const text = JSON.stringify({ name: 'late' })

/** An app whose only caller changes. */
function appWith(trustedMs?: number) {
  let caller: Caller | undefined = callerWith({ organizationId: 'org_1', permissions: new Set(permissions) })
  const count = { changes: 0, asked: 0 }
  const answer = () => {
    count.asked += 1
    if (!caller) throw invalidApiKey()
    return caller
  }
  const authenticator: Authenticator = {
    get changes() {
      return count.changes
    },
    authenticate: answer,
    identify: answer,
  }
  const { app } = testApp({ authenticator, ...(trustedMs !== undefined && { trustedMs }) })
  return {
    count,
    become(next: Caller | undefined) {
      caller = next
      count.changes += 1
    },
    /** Sends a body of which nothing exists until the server reads it, which is when `meanwhile` is called. */
    async sent(meanwhile: () => void, headers: Record<string, string> = {}) {
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            meanwhile()
            controller.enqueue(Buffer.from(text))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const request = new Request('http://localhost/api/v1/things', {
        method: 'POST',
        headers: { authorization: 'Bearer all', 'content-type': 'application/json', ...headers },
        body,
      })
      const { status } = await app.handle(request)
      return status
    },
  }
}

describe('a request is judged again once its body has arrived', () => {
  test.each([
    { what: 'its key was revoked', become: undefined, status: 401 },
    { what: 'its key lost the permission', become: callerWith({ organizationId: 'org_1' }), status: 403 },
    {
      what: 'somebody else lost a permission',
      become: callerWith({ organizationId: 'org_1', permissions: new Set(permissions) }),
      status: 201,
    },
  ])('if $what', async ({ become, status }) => {
    const announced: Record<string, string>[] = [{}, { 'content-length': String(text.length) }]
    for (const headers of announced) {
      const app = appWith()
      expect(await app.sent(() => app.become(become), headers)).toBe(status)
      expect(app.count.asked).toBe(2)
    }
  })

  test('if it took too long', async () => {
    const app = appWith(0)
    expect(await app.sent(() => {})).toBe(201)
    expect(app.count.asked).toBe(2)
  })

  test('and only once if nothing has changed', async () => {
    const app = appWith(60_000)
    expect(await app.sent(() => {})).toBe(201)
    expect(app.count.asked).toBe(1)
  })
})

describe('over HTTP', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world?.stop())

  test('a key that was revoked during its request changes nothing', async () => {
    const { body: made } = await world.owner.post('/api/v1/api-keys', { name: 'Slow', operations: ['*'] })
    const { id, secret } = made.data
    const body = JSON.stringify({ slug: 'too-late', name: 'Too late' })
    const { hostname, port } = new URL(world.url)
    const head = [
      'POST /api/v1/projects HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ]
    const socket = connect(Number(port), hostname)
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
    // the same key on another connection: its answer comes after the arrival of the first request
    expect((await world.as(secret).get('/api/v1/projects')).status).toBe(200)
    expect((await world.owner.post(`/api/v1/api-keys/${id}/revoke`)).status).toBe(200)
    let answer = ''
    const ended = new Promise((resolve) => {
      socket.on('data', (piece) => {
        answer += piece
      })
      socket.on('close', resolve)
    })
    socket.write(body.slice(10))
    await ended
    expect(answer).toStartWith('HTTP/1.1 401')
    const { items } = (await world.owner.get('/api/v1/projects')).body.data
    expect(items.map(({ slug }: { slug: string }) => slug)).not.toContain('too-late')
  })
})
