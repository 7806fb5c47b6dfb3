/** `troupe run` and `troupe runs` as processes against a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Troupe } from '@troupe/sdk'
import { call, fail, say, script, sleep } from '@troupe/sdk/testing'
import { openShop } from '../sdk/shop.ts'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
let troupe: Troupe

beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  await openShop(troupe)
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

const clerk = 'shop/development/clerk'

describe('run', () => {
  test("writes the Agent's answer, and nothing else, to the standard output", async () => {
    const { code, stdout, stderr } = await home.run('run', clerk, script(say('Order A-17 is on its way.')))
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Order A-17 is on its way.\n', stderr: '' })
  })

  test('takes a key of the permissions that the help of keys create names', async () => {
    const { stdout } = await home.run('keys', 'create', '--help')
    const allow = /--allow "([^"]*)" --on shop/.exec(stdout)?.[1] as string
    const made = await home.run('keys', 'create', 'ci', '--allow', allow, '--on', 'shop/development', '--json')
    const environment = { TROUPE_API_KEY: made.json<{ secret: string }>().secret }
    expect(await home.start(['run', clerk, script(say('Hello.'))], { environment }).ended).toMatchObject({
      code: 0,
      stdout: 'Hello.\n',
    })
  })

  test('reads the query from the standard input', async () => {
    const { code, stdout } = await home.start(['run', clerk, '-'], { input: script(say('From the pipe.')) }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'From the pipe.\n' })
  })

  test('removes terminal control sequences', async () => {
    const { stdout } = await home.run('run', clerk, script(say('a\u001b[2Jb\u0007c')))
    expect(stdout).toBe('a[2Jbc\n')
  })

  test('prints every event as a line with --json', async () => {
    const { code, lines } = await home.run('run', clerk, script(say('Hello.')), '--json')
    expect(code).toBe(0)
    const events = lines<{ type: string; data: { state?: string } }>()
    expect(events[0]?.type).toBe('run.transition')
    expect(events.at(-1)).toMatchObject({ type: 'end', data: { state: 'completed' } })
  })

  test('exits with 8 and the reason when the run fails', async () => {
    const { code, stderr } = await home.run('run', clerk, script(fail('The shop is closed.')))
    expect(code).toBe(8)
    expect(stderr).toMatch(/Error: .*run_\w+ is failed/)
  })

  test('names what the run waits for if there is no terminal, and continues once it is answered', async () => {
    const waiting = await home.run('run', clerk, script(call('ask', { question: 'Which?' }), say('Thank you.')))
    expect(waiting.code).toBe(8)
    const [, id, toolCall] = /troupe runs answer (run_\w+) (\S+) RESULT/.exec(waiting.stderr) as RegExpExecArray
    expect((await home.run('runs', 'answer', id as string, toolCall as string, '{"answer":"the blue one"}')).code).toBe(
      0,
    )
    expect((await home.run('runs', 'answer', id as string, toolCall as string, 'again')).code).toBe(6)
    const watched = await home.run('runs', 'watch', id as string)
    expect(watched.stderr).not.toContain('tried again')
    expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('Thank you.') })
  })

  test('says what a run waits for that no runner takes', async () => {
    const idle = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
    try {
      const going = home.start(['run', 'agt_system_assistant', 'Hello', '--url', idle.url])
      await going.says(/waits for a runner: all are busy, or none is connected/)
      going.process.kill('SIGINT')
      expect((await going.ended).code).toBe(130)
    } finally {
      await idle.stop()
    }
  })

  test('says that the run continues when it is interrupted', async () => {
    const going = home.start(['run', clerk, script(say('One moment.'), sleep(60_000), say('Done.'))])
    await going.says(/One moment/)
    going.process.kill('SIGINT')
    const { code, stderr } = await going.ended
    expect(code).toBe(130)
    const id = /(run_\w+) goes on: troupe runs watch/.exec(stderr)?.[1] as string
    expect(await troupe.runs.get({ agentRunId: id })).toMatchObject({ state: 'running' })
    const forced = await home.run('runs', 'cancel', id, '--force')
    expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is canceled.`) })
  })

  test('says that the run continues when the time of --timeout is over', async () => {
    const started = await home.run('run', clerk, script(sleep(60_000)), '--detach')
    const id = started.stdout.trim()
    const { code, stderr } = await home.run('runs', 'watch', id, '--timeout', '1')
    expect(code).toBe(124)
    expect(stderr).toMatch(/Stopped waiting after 1 s/)
    expect(stderr).toContain(`${id} goes on: troupe runs watch`)
    expect((await home.run('runs', 'cancel', id)).code).toBe(0)
  })

  test.each([
    [['run', 'clerk', 'Hello'], 2, /does not name an Agent/],
    [['run', 'shop/development/nobody', 'Hello'], 5, /There is no Agent nobody/],
    [['run', 'shop/development/clerk'], 2, /standard input is empty/],
    [['run'], 2, /missing required argument 'agent'/],
  ])('%p exits with %d', async (words, exit, message) => {
    const { code, stdout, stderr } = await home.run(...words)
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('runs', () => {
  test('lists, shows and continues', async () => {
    const id = (await home.run('run', clerk, '--detach', script(say('First.')))).stdout.trim()
    expect(id).toMatch(/^run_\w+$/)
    await (await troupe.runs.open(id)).output()
    const listed = await home.run('runs', 'list', '--on', 'shop/development', '--json', '--limit', '500')
    expect(listed.json<{ id: string }[]>().map((run) => run.id)).toContain(id)
    expect((await home.run('runs', 'list')).stdout).toMatch(new RegExp(`^${id} .* ${clerk}$`, 'm'))
    const shown = await home.run('runs', 'show', id)
    expect(shown.stdout).toMatch(/state +completed/)
    expect(shown.stdout).toMatch(/agent +shop\/development\/clerk$/m)
    expect(shown.stdout).toMatch(/output +First\./)
    const colored = await home.start(['runs', 'show', id], { environment: { FORCE_COLOR: '1' } }).ended
    expect(colored.stdout).toContain('  \u001b[32mcompleted\u001b[39m\n')
    const second = await home.run('runs', 'continue', id, script(say('Second.')))
    expect(second).toMatchObject({ code: 0, stdout: 'Second.\n', stderr: '' })
    expect((await home.run('runs', 'fork', id, script(say('Otherwise.')))).stdout).toBe('Otherwise.\n')
    const forked = await home.run('runs', 'fork', id, '--checkpoint', '0', '--detach', '--json')
    expect(forked.json<object>()).toMatchObject({ forkedFrom: { agentRunId: id, checkpointId: 0 } })
    const forks = await home.run('runs', 'list', '--forks-of', id, '--json')
    expect(forks.json<{ id: string }[]>()[0]!.id).toBe(forked.json<{ id: string }>().id)
    expect((await home.run('runs', 'fork', id, '--checkpoint', '1')).code).not.toBe(0)
  })

  test('starts a run for later', async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString()
    const { code, stdout } = await home.run('run', clerk, '--at', startAt, script(say('Later.')))
    expect(code).toBe(0)
    const agentRunId = stdout.trim()
    expect(await troupe.runs.get({ agentRunId })).toMatchObject({ state: 'queued', availableAt: startAt })
    expect((await home.run('runs', 'start-now', agentRunId)).stdout).toBe(`${agentRunId} starts now.\n`)
    expect((await troupe.runs.open(agentRunId).output()).text).toBe('Later.')
    expect(
      (await home.run('run', clerk, '--at', `${new Date().getFullYear() + 1}-02-30T09:00Z`, 'Hello')).stderr,
    ).toContain('Give an instant with its offset')
    expect(await home.run('run', clerk, '--at', 'tomorrow', 'Hello')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('an instant with its offset'),
    })
  })

  test('rejects a list of no states', async () => {
    const { code, stderr } = await home.run('runs', 'list', '--state', ' ,')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Name at least one.')])
  })

  test('rejects an invalid run id, and reports a missing run', async () => {
    expect((await home.run('runs', 'show', 'clerk')).code).toBe(2)
    const missing = await home.run('runs', 'show', 'run_01h455vb4pex5vsknk084sn02q', '--json')
    expect(missing).toMatchObject({ code: 5, stdout: '' })
    expect(JSON.parse(missing.stderr).error).toMatchObject({ code: 'not_found', requestId: expect.any(String) })
  })
})

describe('the options of all commands', () => {
  const nowhere = 'http://127.0.0.1:1'

  test.each([
    { what: 'before the command', words: ['--json', 'runs', 'list'] },
    { what: 'inside of a group', words: ['runs', '--json', 'list'] },
    { what: 'behind the command', words: ['runs', 'list', '--json'] },
  ])('may stand $what', async ({ words }) => {
    const { code, stdout } = await home.run(...words)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toBeArray()
  })

  test('before the command name the server, too; the nearest counts', async () => {
    const { code, stderr } = await home.run('--json', '--url', nowhere, 'runs', 'list')
    expect(code).not.toBe(0)
    expect(JSON.parse(stderr).error.code).toBe('connection_failed')
    expect((await home.run('--url', nowhere, 'runs', 'list', '--url', server.url)).code).toBe(0)
    expect((await home.run('--profile', 'nobody', 'whoami')).stderr).toContain('nobody')
  })

  test('are refused where a command does not take them', async () => {
    const { code, stderr } = await home.run('--url', server.url, 'init', 'support-desk')
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'Error: troupe init takes no --url.\n' })
    expect((await home.run('--profile', 'x', 'admin', 'check')).stderr).toBe(
      'Error: troupe admin check takes no --profile.\n',
    )
  })
})
