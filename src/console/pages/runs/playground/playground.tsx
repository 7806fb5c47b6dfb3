/** Playground of an Environment. */
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
      title="Playground"
      about="Chat with the Agents of the active Deployment. Each conversation is a run."
    />
  )
}
