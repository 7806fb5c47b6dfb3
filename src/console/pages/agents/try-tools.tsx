/** Calls single tools of an Agent in an Environment in which it is active. */
import { useState } from 'react'
import { Section } from '../../ui/page.tsx'
import { MoreIds, usePlace } from '../../use-place.ts'
import { kindNames } from '../delivery/environments.ts'
import { AgentTools } from '../runs/playground/tools/agent-tools.tsx'
import type { Serving } from './serves-in.tsx'

interface TryToolsProps {
  agentId: string
  serving: readonly Serving[]
}

/** Renders nothing for an Agent that is not active anywhere. */
export function TryTools({ agentId, serving }: TryToolsProps) {
  const place = usePlace()
  const there = serving.filter(({ revision }) => revision !== undefined)
  const [chosen, setChosen] = useState<string>()
  const environmentId = chosen ?? there[0]?.environment.id
  if (environmentId === undefined) return null
  const choice = (
    <select
      className="tools-environment"
      aria-label="Environment of the tools"
      value={environmentId}
      onChange={({ target }) => setChosen(target.value)}
    >
      {there.map(({ environment: { id, kind } }) => (
        <option key={id} value={id}>
          {`In ${kindNames[kind]}`}
        </option>
      ))}
    </select>
  )
  return (
    <Section title="Try the tools" actions={choice}>
      <MoreIds.Provider key={environmentId} value={{ environmentId }}>
        <AgentTools agentId={agentId} place={{ ...place, environmentId }} open />
      </MoreIds.Provider>
    </Section>
  )
}
