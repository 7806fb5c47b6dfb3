/** Author of a change: you, another user, or an API key, with the id as tooltip. */
import { useSession } from '../session/session.ts'

const words: Record<string, string> = { user: 'user', apiKey: 'API key', workflow: 'workflow run', agentJob: 'job' }

export function Author({ by: { type, id } }: { by: { type: string; id: string } }) {
  const { session } = useSession()
  if (id === session.user.id) return <>you</>
  return (
    <span title={id} style={{ whiteSpace: 'nowrap' }}>
      {words[type] ?? type} <code>…{id.slice(-6)}</code>
    </span>
  )
}
