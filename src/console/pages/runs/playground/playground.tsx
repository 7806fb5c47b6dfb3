/** Playground: talk to the Agents that are live in this Environment, or to System Agents. */
import { usePlace } from '../../../use-place.ts'
import { Playground } from './playground-page.tsx'
import { useDeployedAgents } from './startable-agents.ts'

export default function PlaygroundPage() {
  const place = usePlace()
  const startable = useDeployedAgents(place)
  return (
    <Playground
      place={place}
      startable={startable}
      about="Talk to the Agents that are live here. Each talk is a run."
    />
  )
}
