/** Conversation with an Agent. Its run is kept in the query string. */
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'wouter'
import { at, type Place } from '../../../places.ts'
import { Button, LinkButton } from '../../../ui/forms/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import type { Part } from './messages.ts'
import { StartForm } from './start-form.tsx'
import { type StartableAgents, usePresentation } from './startable-agents.ts'
import { Talk } from './talk.tsx'
import { AgentTools } from './tools/agent-tools.tsx'
import './playground.css'

interface PlaygroundProps {
  place: Place
  startable: StartableAgents
  title: string
  about: string
  /** Shown below the form for a new conversation. */
  below?: ReactNode
}

const runForm = /^run_[0-9a-z]{26}$/

export function Playground({ place, startable, title, about, below }: PlaygroundProps) {
  const [params, setParams] = useSearchParams()
  const [asked, setAsked] = useState<Part[]>([])
  const given = params.get('run')
  const runId = given && runForm.test(given) ? given : undefined
  const go = (changes: Record<string, string>) =>
    setParams((now) => {
      const next = new URLSearchParams(now)
      next.delete('run')
      for (const [name, value] of Object.entries(changes)) next.set(name, value)
      return next
    })
  const begin = () => {
    setAsked([])
    go({})
  }
  return (
    <Page
      title={title}
      about={about}
      actions={
        runId && (
          <Button icon="plus" onClick={begin}>
            New conversation
          </Button>
        )
      }
    >
      {runId ? (
        <Talk key={runId} runId={runId} place={place} asked={asked} />
      ) : (
        <Beginning
          place={place}
          startable={startable}
          chosen={params.get('agent') ?? undefined}
          onChoose={(agent) => go({ agent })}
          onStarted={(run, parts) => {
            setAsked(parts)
            go({ run })
          }}
        />
      )}
      {!runId && below}
    </Page>
  )
}

interface BeginningProps {
  place: Place
  startable: StartableAgents
  chosen: string | undefined
  onChoose: (agentId: string) => void
  onStarted: (runId: string, asked: Part[]) => void
}

function Beginning({ place, startable, chosen, onChoose, onStarted }: BeginningProps) {
  const { agents, failure, nothingActive, retry } = startable
  const agent = agents?.find(({ id }) => id === chosen) ?? agents?.[0]
  const { presentation, loading } = usePresentation(agent?.id, place)
  const [query, setQuery] = useState('')
  if (failure && agents === undefined) return <Failed failure={failure} retry={retry} />
  if (nothingActive)
    return (
      <Empty
        icon="rocket"
        title="No active Deployment"
        action={
          <LinkButton href={at(place)} tone="primary">
            Go to delivery
          </LinkButton>
        }
      >
        Activate a Deployment to chat with its Agents.
      </Empty>
    )
  if (agents === undefined) return <Loading rows={4} />
  if (!agent) return <Empty icon="agent" title="No agents available" />
  return (
    <>
      {agents.length > 1 && (
        <fieldset className="playground-agents" aria-label="Agent">
          {agents.map(({ id, name }) => (
            <button
              key={id}
              type="button"
              className="playground-agent"
              aria-pressed={id === agent.id}
              onClick={() => onChoose(id)}
            >
              {name}
            </button>
          ))}
        </fieldset>
      )}
      {loading ? (
        <Loading rows={3} />
      ) : (
        <section className="playground-greeting" aria-label="Agent">
          <h2>{presentation?.displayName ?? agent.name}</h2>
          <p>{presentation?.greeting ?? 'How can I help?'}</p>
          {presentation && presentation.suggestedQueries.length > 0 && (
            <ul className="playground-suggestions" aria-label="Suggestions">
              {presentation.suggestedQueries.slice(0, 6).map((suggestion) => (
                <li key={suggestion}>
                  <button type="button" className="playground-suggestion" onClick={() => setQuery(suggestion)}>
                    {suggestion}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      {place.environmentId && <AgentTools key={`tools ${agent.id}`} agentId={agent.id} place={place} />}
      <StartForm
        key={agent.id}
        agentId={agent.id}
        environmentId={agent.id.startsWith('agt_system_') ? undefined : place.environmentId}
        place={place}
        query={query}
        onQuery={setQuery}
        onStarted={onStarted}
      />
    </>
  )
}
