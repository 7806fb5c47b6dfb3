/** How to start the first run: in the console, or with `curl` and the address of this server. */
import { at, type Place } from '../../places.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'

export function FirstRun({ place, origin }: { place: Place; origin: string }) {
  const request = [
    `curl -s ${origin}/api/v1/agent-runs \\`,
    `  -H "Authorization: Bearer $TROUPE_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"agentId": "agt_system_assistant", "query": "What day is it in 100 days?"}'`,
  ].join('\n')
  return (
    <section className="panel first-run" aria-label="The first run">
      <div>
        <h2>Start the first run</h2>
        <p className="faint">Then this page shows how runs come and go, how long they wait, and what they use.</p>
      </div>
      <ol className="first-run-ways">
        <li>
          <h3>Here</h3>
          <p>Talk to an agent of the platform: it needs no Project.</p>
          <LinkButton href={at({ organization: place.organization }, 'playground')} tone="primary" icon="chat">
            Open the playground
          </LinkButton>
        </li>
        <li>
          <h3>From a terminal</h3>
          <p>With an API key, as any program would.</p>
          <Code label="request" text={request} />
          <LinkButton href={at({ organization: place.organization }, 'settings', 'keys')} icon="key">
            Make an API key
          </LinkButton>
        </li>
        <li>
          <h3>An Agent of your own</h3>
          <p>A Project holds it; a template is a good beginning.</p>
          <LinkButton href={at({ organization: place.organization }, 'projects')} icon="folder">
            Go to Projects
          </LinkButton>
        </li>
      </ol>
    </section>
  )
}
