/** Playground of System Agents. */
import { usePlace } from '../../../use-place.ts'
import { ManageSystemAgents } from './manage-system-agents.tsx'
import { Playground } from './playground-page.tsx'
import { useSystemAgents } from './startable-agents.ts'

export default function OrganizationPlaygroundPage() {
  const place = usePlace()
  const startable = useSystemAgents(true)
  return (
    <Playground
      place={place}
      startable={startable}
      title="System Agents"
      below={<ManageSystemAgents />}
      about="Agents of the platform, available without a Project. Each conversation is a run."
    />
  )
}
