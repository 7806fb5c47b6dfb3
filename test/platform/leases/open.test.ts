/** The kind of leases by configuration, and errors for addresses that are not Redis. */
import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { EmbeddedLeases } from '../../../src/platform/leases/embedded.ts'
import type { LeasesLog } from '../../../src/platform/leases/leases.ts'
import { type Leases, LeasesUnavailable } from '../../../src/platform/leases/leases.ts'
import { openLeases } from '../../../src/platform/leases/open-leases.ts'
import { checkRequirements, type Finding } from '../../../src/platform/redis/requirements.ts'

test('without a URL leases are embedded and use the given clock', async () => {
  const leases = await openLeases({ now: () => 1_800_000_000_000 })
  expect(leases).toBeInstanceOf(EmbeddedLeases)
  expect(await leases.acquire('machine/1', 'att_a', 1000)).toEqual({
    key: 'machine/1',
    holder: 'att_a',
    token: 1_800_000_000_000_000,
    expiresAt: 1_800_000_001_000,
  })
})

test.each([
  [false, 'openLeases({})'],
  [true, "openLeases({ redisUrl: 'redis://127.0.0.1:1' })"],
])('the Redis client is loaded only with a URL: %p', async (loaded, opening) => {
  const open = join(import.meta.dir, '../../../src/platform/leases/open-leases.ts')
  const script = `
    const { openLeases } = await import(${JSON.stringify(open)})
    const leases = await ${opening}
    await leases.close()
    console.log(Object.keys(require.cache).some((path) => path.includes('/ioredis/')))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
  expect(await new Response(child.stderr).text()).toBe('')
  expect((await new Response(child.stdout).text()).trim()).toBe(String(loaded))
  expect(await child.exited).toBe(0)
})

test.each([
  [''],
  ['not a url'],
  ['http://:secret@localhost:6379'],
  ['redis://:secret@'],
  ['localhost:6379'],
  ['redis://:secret@localhost:6379/leases'],
  ['redis://:secret@localhost:99999'],
  ['/tmp/redis.sock'],
])('%j is not a URL of Redis: opening throws, without repeating it', async (redisUrl) => {
  const error = await openLeases({ redisUrl }).then(
    () => null,
    (error) => error,
  )
  expect(error).toBeInstanceOf(Error)
  expect(error.message).toContain('redis://host:6379/0')
  expect(error.message).not.toContain('secret')
})

test.each<[string, Finding]>([
  [
    'redis_version:5.0.14\r\nmaxmemory_policy:noeviction',
    { refusal: expect.stringContaining('Redis 5.0.14 is too old') },
  ],
  ['redis_version:6.0.20', { refusal: expect.stringContaining('6.2 or later') }],
  ['redis_version:6.2.0\r\nmaxmemory_policy:noeviction\r\n', {}],
  ['redis_version:10.0.0', {}],
  [
    '# Memory\r\nmaxmemory_policy:volatile-ttl\r\n',
    { warning: expect.stringContaining('volatile-ttl, not noeviction') },
  ],
  ['', {}],
])('a Redis that reports %j', (info, finding) => {
  expect(checkRequirements(info)).toEqual(finding)
})

describe('a server that is not Redis', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  /** Leases on a server that answers each message with this text. */
  async function openAgainst(answer: string, log?: LeasesLog, now?: () => number) {
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          socket.write(answer)
        },
      },
    })
    const leases: Leases = await openLeases({ redisUrl: `redis://127.0.0.1:${server.port}`, log, now })
    ends.push(
      () => leases.close(),
      () => server.stop(true),
    )
    return leases
  }

  test.each([
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'],
    ['SMTP', '220 mail.example ESMTP\r\n'],
    ['binary', '\x00\xff\x15\x03\x01\x00\x02'],
    ['a number for each command', ':1\r\n'.repeat(6)],
    ['a list for each command', '*3\r\n:9\r\n:-1\r\n:0\r\n'.repeat(6)],
    ['OK for each command', '+OK\r\n'.repeat(6)],
  ])('that answers %s: each call is refused with the reason', async (_what, answer) => {
    const leases = await openAgainst(answer)
    const calls = [
      leases.acquire('machine/1', 'att_a', 1000),
      leases.acquireAny(['machine/1'], 'att_a', 1000),
      leases.renew('machine/1', 'att_a', 7, 1000),
      leases.release('machine/1', 7),
      leases.read(['machine/1']),
    ]
    for (const call of calls) {
      expect(await call.catch((error) => error)).toEqual(new LeasesUnavailable('the answer is not from Redis'))
    }
  })

  test('is logged once a minute', async () => {
    const lines: object[] = []
    const clock = { now: 1_800_000_000_000 }
    const log = { warn: (details: object) => void lines.push(details) }
    const leases = await openAgainst('HTTP/1.1 400 Bad Request\r\n\r\n', log, () => clock.now)
    const fail = async () => {
      for (let n = 0; n < 5; n++) await leases.acquire('machine/1', 'att_a', 1000).catch(() => {})
    }
    await fail()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toEqual({ reason: 'the answer is not from Redis' })
    clock.now += 59_999
    await fail()
    expect(lines).toHaveLength(1)
    clock.now += 1
    while (lines.length < 2) await Bun.sleep(5) // until it has tried to reconnect
    await fail()
    expect(lines).toHaveLength(2)
  })
})
