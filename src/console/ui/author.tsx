/** Author of a change: you, another user by name, or an API key, which links to its page; with the id as tooltip. */
import { Link } from 'wouter'
import { useApi } from '../data/context.ts'
import { useMembers } from '../data/people.ts'
import { useResource } from '../data/resource.ts'
import { at, organizationOf } from '../places.ts'
import { useSession } from '../session/session.ts'
import { usePlace } from '../use-place.ts'

interface Acting {
  type: string
  id: string
}

const words: Record<string, string> = { user: 'user', apiKey: 'API key', workflow: 'workflow run', agentJob: 'job' }

export function Author({ by }: { by: Acting }) {
  const { session } = useSession()
  if (by.id === session.user.id) return <>you</>
  if (by.type === 'user') return <Member by={by} />
  if (by.type === 'apiKey') return <ApiKey by={by} />
  return <Nameless by={by} />
}

/** A user; by id without permission to list members, and after leaving the organization. */
function Member({ by }: { by: Acting }) {
  const name = useMembers().value?.find(({ userId }) => userId === by.id)?.name
  return name === undefined ? (
    <Nameless by={by} />
  ) : (
    <span className="author" title={`${name}, ${by.id}`}>
      {name}
    </span>
  )
}

function ApiKey({ by }: { by: Acting }) {
  const api = useApi()
  const place = usePlace()
  const key = useResource(['keys', by.id], (options) => api.v1['api-keys']({ keyId: by.id }).get(options))
  return key.value ? (
    <span className="author" title={`API key ${key.value.name}, ${by.id}`}>
      API key <Link href={at(organizationOf(place), 'settings', 'keys', by.id)}>{key.value.name}</Link>
    </span>
  ) : (
    <Nameless by={by} />
  )
}

const Nameless = ({ by: { type, id } }: { by: Acting }) => (
  <span className="author" title={id}>
    {words[type] ?? type} <code>…{id.slice(-6)}</code>
  </span>
)
