/**
 * A chat page for an Agent. The key stays on this server, which forwards the chats of the page.
 *
 *     TROUPE_KEY=trp_… npx bun examples/chat/server.ts shop/production/support
 */
import { key, url, words } from '../settings.ts'
import page from './index.html'

const [agent = 'agt_system_assistant'] = words(1)
const server = Bun.serve({
  port: Number(process.env.PORT ?? 0),
  hostname: '127.0.0.1',
  idleTimeout: 0, // an answer may take long
  routes: {
    '/': page,
    '/chat': (request) => forward(request, ''),
    '/chat/:id/stream': (request) => forward(request, `/${request.params.id}/stream${new URL(request.url).search}`),
  },
})
console.log(`http://127.0.0.1:${server.port}`)

async function forward({ method, body, signal }: Request, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/ai-sdk/chat/${agent}${path}`, { method, headers, body, signal })
  return new Response(answer.body, { status: answer.status, headers: { 'content-type': 'text/event-stream' } })
}
