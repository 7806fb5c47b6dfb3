/** Models of an Environment's Agents. */
import { type ReactNode, useState } from 'react'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { at, projectOf } from '../../places.ts'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { ConfigurationFrame, CountsWhenDeployed } from './configuration-frame.tsx'
import { useCredentials } from './environment-lists.ts'
import { ChooseModel, type ProviderSetting } from './model-dialog.tsx'
import { providerNames } from './provider-credentials/credential-words.ts'
import './settings.css'

interface Agent {
  id: string
  name: string
}

interface Choosing {
  agent: Agent
  setting: ProviderSetting | undefined
}

/** Page size; each row reads its Agent's setting. */
const linesMax = 20

export default function ModelsPage() {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useEnvironment()
  const [choosing, setChoosing] = useState<Choosing>()
  const agents = usePages(
    ['agents', projectId],
    (options, page) => api.v1.projects({ projectId }).agents.get({ ...options, query: page }),
    { limit: linesMax },
  )
  return (
    <ConfigurationFrame
      title="Models"
      about="Model and credential of each Agent in this Environment. The default is the platform's."
    >
      <DataTable
        label="models of Agents"
        pages={agents}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Agent', cell: ({ name }) => name },
          { title: 'Model', cell: (agent) => <Setting agent={agent} show={modelText} /> },
          { title: 'Credential', cell: (agent) => <Setting agent={agent} show={credentialText} /> },
          { title: 'Actions', align: 'end', cell: (agent) => <Choose agent={agent} onChoose={setChoosing} /> },
        ]}
        empty={
          <Empty
            icon="agent"
            title="No Agents yet"
            action={<LinkButton href={at(projectOf(place), 'agents')}>Go to Agents</LinkButton>}
          >
            Create an Agent to set its model.
          </Empty>
        }
      />
      <CountsWhenDeployed />
      {choosing && <ChooseModel {...choosing} onClose={() => setChoosing(undefined)} />}
    </ConfigurationFrame>
  )
}

/** The Agent's setting, if any. */
function useSetting({ id: agentId }: Agent) {
  const { environmentId, environment } = useEnvironment()
  return useResource(['provider-settings', environmentId, agentId], (options) =>
    environment.agents({ agentId })['provider-settings'].get({ ...options, query: { limit: 1 } }),
  )
}

const modelText = ({ provider, model }: ProviderSetting) => (
  <span className="cell-main">
    <span>{provider ? providerNames[provider] : 'platform default'}</span>
    {model && <code className="value-wrap">{model}</code>}
  </span>
)

/** Shortened id if the name is not permitted. */
function CredentialName({ id }: { id: string }) {
  const label = useCredentials().value?.items.find((credential) => credential.id === id)?.label
  return label ? <span title={id}>{label}</span> : <code title={id}>…{id.slice(-6)}</code>
}

const credentialText = ({ providerCredentialId, providerCredentialVersion }: ProviderSetting) =>
  providerCredentialId ? (
    <span className="cell-main">
      <CredentialName id={providerCredentialId} />
      <span className="faint">
        {providerCredentialVersion ? `version ${providerCredentialVersion}` : 'its current version'}
      </span>
    </span>
  ) : (
    <span className="faint">platform credential</span>
  )

interface SettingProps {
  agent: Agent
  show: (setting: ProviderSetting) => ReactNode
}

function Setting({ agent, show }: SettingProps) {
  const { value, failure } = useSetting(agent)
  if (failure) return <span className="faint">{failure.permission ? 'no permission' : 'failed to load'}</span>
  if (!value) return <span className="faint">…</span>
  const [setting] = value.items
  return setting ? show(setting) : <span className="faint">platform default</span>
}

function Choose({ agent, onChoose }: { agent: Agent; onChoose: (choosing: Choosing) => void }) {
  const { value } = useSetting(agent)
  const word = value?.items[0] ? 'Change' : 'Choose'
  return (
    <Button
      needs="projects:update"
      small
      disabled={!value}
      aria-label={`${word} model of ${agent.name}`}
      onClick={() => onChoose({ agent, setting: value?.items[0] })}
    >
      {word}
    </Button>
  )
}
