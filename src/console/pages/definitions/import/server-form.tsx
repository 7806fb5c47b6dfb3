/** The Connection through which an MCP server lists its tools. */
import { useState } from 'react'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { Form, SelectField } from '../../../ui/forms/form.tsx'
import { Shown } from '../../../ui/states.tsx'
import { type AskProps, ConnectionField } from './request.tsx'

const environmentsMax = 100
/** The most Connections offered, newest first. */
const connectionsMax = 100

export function ServerForm({ projectId, action }: AskProps & { projectId: string }) {
  const api = useApi()
  const environments = useResource(['environments', projectId, 'list'], (options) =>
    api.v1.projects({ projectId }).environments.get({ ...options, query: { limit: environmentsMax } }),
  )
  return (
    <Shown resource={environments}>
      {({ items }) => <In projectId={projectId} environments={items} action={action} />}
    </Shown>
  )
}

interface InProps extends AskProps {
  projectId: string
  environments: readonly { id: string; name: string }[]
}

function In({ projectId, environments, action }: InProps) {
  const api = useApi()
  const [environmentId, setEnvironmentId] = useState(environments[0]?.id ?? '')
  const connections = useResource(['connections', environmentId, 'mcp'], (options) =>
    api.v1
      .projects({ projectId })
      .environments({ environmentId })
      .connections.get({ ...options, query: { limit: connectionsMax } }),
  )
  const usable = (connections.value?.items ?? []).filter(({ kind, status }) => kind === 'http' && status === 'active')
  return (
    <Form
      action={action}
      submit="List tools"
      onSubmit={(text) =>
        action.run({ mcp: { environmentId, connectionId: text('connectionId') }, connection: text('connection') })
      }
    >
      <SelectField
        name="environmentId"
        label="Environment"
        value={environmentId}
        onChange={({ target }) => setEnvironmentId(target.value)}
      >
        {environments.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        name="connectionId"
        label="Connection"
        hint="An active Connection of kind http with the address of the MCP server as its base URL."
        required
      >
        {usable.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <ConnectionField />
    </Form>
  )
}
