/** Copies the start of the run as a command or a program. */
import { useState } from 'react'
import type { Place } from '../../../../places.ts'
import { Segments } from '../../../../ui/segments.tsx'
import { Code } from '../../../../ui/text/code.tsx'
import { useAgentAddress } from './agent-address.ts'
import { type ClientKind, clients, type SnippetInput, snippetOf } from './snippets.ts'

const titles: Record<ClientKind, string> = { curl: 'curl', sdk: 'SDK', openai: 'OpenAI client' }

export function CopyAs({ body, place, withFiles }: { body: SnippetInput['body']; place: Place; withFiles: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="more-choices" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Copy as</summary>
      {isOpen && <Snippet body={body} place={place} withFiles={withFiles} />}
    </details>
  )
}

function Snippet({ body, place, withFiles }: Parameters<typeof CopyAs>[0]) {
  const [client, setClient] = useState<ClientKind>('curl')
  const address = useAgentAddress(body.agentId, place)
  if (address === undefined) return null
  const options = clients.map((value) => ({ value, title: titles[value] }))
  return (
    <div className="copy-as">
      <Segments label="Client" value={client} options={options} onChoose={setClient} />
      <Code label={titles[client]} text={snippetOf(client, { baseUrl: location.origin, address, body })} wrap />
      <p className="faint">
        The API key is in <code>TROUPE_KEY</code>.{withFiles && ' Attachments are left out.'}
      </p>
    </div>
  )
}
