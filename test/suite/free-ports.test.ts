/** The ports that tests give to programs. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { freePort, freePorts } from '../support/free-ports.ts'

const module = join(import.meta.dir, '../support/free-ports.ts')

/** Another process, which takes ports and keeps them until its input ends. */
const takePorts = (count: number) =>
  Bun.spawn(
    [
      process.execPath,
      '-e',
      `import { freePorts } from ${JSON.stringify(module)}
       console.log(JSON.stringify(freePorts(${count})))
       for await (const _ of console) break`,
    ],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  )

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text
}

test('processes that run at the same time get different ports', async () => {
  const others = [takePorts(40), takePorts(40), takePorts(40)]
  const ports = (await Promise.all(others.map(({ stdout }) => firstLine(stdout)))).flatMap(
    (line) => JSON.parse(line) as number[],
  )
  const all = [...ports, ...freePorts(40)]
  expect(new Set(all).size).toBe(160)
  for (const { stdin } of others) stdin.end()
  expect(await Promise.all(others.map(({ exited }) => exited))).toEqual([0, 0, 0])
})

test('a port can be used at once, and is not given out again', () => {
  const port = freePort()
  using server = Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() })
  expect(server.port).toBe(port)
  expect(freePorts(20)).not.toContain(port)
})
