/** The progress of a call that takes long, at `/mcp`. */
import { expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { systemClock } from '../../src/platform/time/clock.ts'
import { openWorld } from '../support/world/world.ts'

test('a long step is reported again and again, so that clients with a time limit wait for it', async () => {
  /** Keep-alives follow each other quickly. */
  const clock = {
    ...systemClock,
    after: (ms: number, done: () => void) => systemClock.after(ms === 5_000 ? 20 : ms, done),
  }
  const server = await openWorld({ clock, environment: { TROUPE_RUNNER: 'embedded' } })
  try {
    const client = new Client({ name: 'test', version: '1' })
    const options = { requestInit: { headers: { authorization: `Bearer ${server.key}` } } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), options))
    const leaving = new AbortController()
    const messages: string[] = []
    const onprogress = ({ message = '' }: { message?: string }) => {
      messages.push(message)
      if (messages.filter((each) => each === 'Thinking').length > 2) leaving.abort()
    }
    const call = client.callTool(
      { name: 'agt_system_assistant', arguments: { query: '/say a\n/sleep 60000' } },
      { signal: leaving.signal, onprogress },
    )
    await expect(call).rejects.toThrow()
    expect(messages.slice(-2)).toEqual(['Thinking', 'Thinking'])
    await client.close()
  } finally {
    await server.stop()
  }
})
