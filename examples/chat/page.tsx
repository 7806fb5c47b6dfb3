/** The page: messages, interactive tools, approvals, and a chat that resumes when the page is reloaded. */
import { useChat } from '@ai-sdk/react'
import {
  lastAssistantMessageIsCompleteWithToolCalls as answered,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses as decided,
  getToolName,
  isToolUIPart,
} from 'ai'
import { createRoot } from 'react-dom/client'

sessionStorage.chat ??= crypto.randomUUID()
const stored = JSON.parse(sessionStorage.messages ?? '[]')
const last = stored.findLast(({ role }: { role: string }) => role === 'assistant')?.id ?? 'none'
const resume = ({ api, id }: { api: string; id: string }) => ({ api: `${api}/${id}/stream?after=${last}` })

const Ask = ({ about, onAnswer }: { about: string; onAnswer: (text: string) => unknown }) => (
  <form action={(form) => void onAnswer(String(form.get('text')))}>
    <textarea name="text" aria-label={about} placeholder={about} />
    <button type="submit">Send</button>
  </form>
)

function Chat() {
  const { messages, error, status, sendMessage, addToolOutput, addToolApprovalResponse } = useChat({
    id: sessionStorage.chat,
    messages: stored,
    resume: stored.length > 0,
    transport: new DefaultChatTransport({ api: '/chat', prepareReconnectToStreamRequest: resume }),
    sendAutomaticallyWhen: (chat) => answered(chat) || decided(chat),
  })
  // an incomplete answer is streamed again when the page is reloaded, also if it has ended meanwhile
  const isWhole = status === 'ready' || messages.at(-1)?.role === 'user'
  sessionStorage.messages = JSON.stringify(isWhole ? messages : messages.slice(0, -1))

  const show = (part: (typeof messages)[number]['parts'][number], key: string) => {
    if (part.type === 'text') return <p key={key}>{part.text}</p>
    if (!isToolUIPart(part)) return null
    const { toolCallId, state } = part
    const about = `${getToolName(part)} ${JSON.stringify(part.input ?? {})}`
    const tool = getToolName(part) as never
    const answer = (output: string) => addToolOutput({ tool, toolCallId, output: output as never })
    const decide = (approved: boolean) => addToolApprovalResponse({ id: part.approval?.id ?? '', approved })
    if (state === 'input-available' && !part.providerExecuted) return <Ask key={key} about={about} onAnswer={answer} />
    const ways = state === 'approval-requested' ? [true, false] : []
    const buttons = ways.map((approved) => (
      <button key={String(approved)} type="button" onClick={() => decide(approved)}>
        {approved ? 'Approve' : 'Reject'}
      </button>
    ))
    return <p key={key}>{[about, ...buttons]}</p>
  }
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <section key={id}>
          <b>{role === 'user' ? 'You' : 'Agent'}</b>
          {parts.map((part, index) => show(part, `${id} ${index}`))}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <Ask about="Message" onAnswer={(text) => sendMessage({ text })} />
    </main>
  )
}

createRoot(document.getElementById('chat') as HTMLElement).render(<Chat />)
