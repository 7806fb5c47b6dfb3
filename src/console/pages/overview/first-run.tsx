/** Ways to start the first run: playground, own Agent, or `curl`. */
import type { ReactNode } from 'react'
import { at, organizationOf, type Place } from '../../places.ts'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Code } from '../../ui/text/code.tsx'

interface WayProps {
  icon: IconName
  title: string
  about: string
  children: ReactNode
}

const Way = ({ icon, title, about, children }: WayProps) => (
  <li className="panel first-run-way">
    <h3>
      <Icon name={icon} size={18} />
      {title}
    </h3>
    <p>{about}</p>
    {children}
  </li>
)

export function FirstRun({ place, origin }: { place: Place; origin: string }) {
  const here = organizationOf(place)
  const request = [
    `curl -s ${origin}/api/v1/agent-runs \\`,
    `  -H "Authorization: Bearer $TROUPE_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"agentId": "agt_system_assistant", "query": "What day is it in 100 days?"}'`,
  ].join('\n')
  return (
    <section className="stack" aria-label="First run">
      <div>
        <h2>Start the first run</h2>
        <p className="faint">This page then shows runs, latencies and usage.</p>
      </div>
      <ol className="first-run-ways">
        <Way icon="chat" title="Playground" about="Chat with a System Agent. No Project needed.">
          <LinkButton href={at(here, 'playground')} tone="primary" icon="chat">
            Open the playground
          </LinkButton>
        </Way>
        <Way icon="agent" title="Your own Agent" about="Create it in a Project, or start from a template.">
          <LinkButton href={at(here, 'projects')} icon="folder">
            Go to Projects
          </LinkButton>
        </Way>
        <Way icon="chart" title="Statecharts" about="The statecharts behind runs, Deployments and approvals.">
          <LinkButton href={at(here, 'statecharts')} icon="chart">
            View statecharts
          </LinkButton>
        </Way>
        <Way icon="bolt" title="From a terminal" about="Call the API with an API key.">
          <Code label="request" text={request} />
          <LinkButton href={at(here, 'settings', 'keys')} icon="key">
            Create an API key
          </LinkButton>
        </Way>
      </ol>
    </section>
  )
}
