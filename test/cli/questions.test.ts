/** Questions at a terminal go to the standard error: the standard output has results only. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

/** Runs a command in a terminal, with its output in a file; answers its question. */
async function asked(args: string, question: string, answer: string) {
  const output = join(home.folder, 'output')
  const command = `stty cols 100; cd ${home.folder} && ${home.commandLine.join(' ')} ${args} > ${output}`
  const child = Bun.spawn(['script', '-qec', command, '/dev/null'], {
    env: { ...home.environment, SHELL: '/bin/sh' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let shown = ''
  const reading = (async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (!shown.includes(question) && (shown + piece).includes(question)) child.stdin.write(answer)
      shown += piece
    }
  })()
  await Promise.all([child.exited, reading])
  return { code: child.exitCode, shown, output: readFileSync(output, 'utf8') }
}

test.skipIf(!Bun.which('script')).each([
  ['init', 'Which template?', '\r', /^Wrote troupe\.yaml/],
  ['apply --environment production', 'Apply this to production?', 'y', /^Applied/],
])(
  'of %s',
  async (args, question, answer, result) => {
    const { code, shown, output } = await asked(args, question, answer)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(result) })
    expect(shown).toContain(question)
  },
  120_000,
)
