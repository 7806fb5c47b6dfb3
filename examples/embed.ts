/**
 * A page with the live chart of one run in a frame, visible without a key, a session or a cookie.
 *
 *     TROUPE_EMBED_ANCESTORS=http://localhost:4000 npm start        # the server lets this page frame its charts
 *     TROUPE_KEY=trp_… bun examples/embed.ts run_…                  # then open http://localhost:4000
 *
 * The key stays on this server: each time the page is opened, the frame gets a ticket for this run, valid for ten minutes.
 * `PORT` is the port of the page; `TROUPE_URL` is the address of the server, default http://localhost:3000.
 */
import { refuse, troupe, words } from './settings.ts'

const lifetimeSeconds = 600
const [id = refuse('Name the run to show: bun examples/embed.ts run_…', 2)] = words(1)

/** The address of the chart, valid as long as its ticket. */
async function chartAddress(): Promise<string> {
  const { url } = await troupe.machines.createEmbedTicket({ kind: 'run', id, lifetimeSeconds })
  return url
}

/** The frame gets another ticket shortly before this one expires. */
const page = `<!doctype html>
<html lang="en">
<title>Our page</title>
<style>
  body { margin: 2rem auto; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif }
  iframe { width: 100%; height: 32rem; border: 1px solid #8888; border-radius: .5rem }
</style>
<h1>How your request is doing</h1>
<iframe src="/chart" title="Live chart of the run"></iframe>
<script>
  setInterval(() => { document.querySelector('iframe').src = '/chart' }, ${(lifetimeSeconds - 30) * 1000})
</script>
</html>`

const server = Bun.serve({
  port: Number(process.env.PORT ?? 4000),
  hostname: 'localhost',
  routes: {
    '/': new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    '/chart': async () => {
      try {
        return Response.redirect(await chartAddress(), 303)
      } catch (error) {
        return new Response((error as Error).message, { status: 502 })
      }
    },
  },
})
console.log(`Open http://localhost:${server.port}`)
