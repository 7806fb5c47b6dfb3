/** Ids, code and JSON, always rendered as text. */
import { useEffect, useState } from 'react'
import { IconButton } from '../forms/button.tsx'
import { shortenedId } from './shortened-id.ts'

/** How long a button says that it has copied. */
const copiedMs = 1_500

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    // the clipboard needs a secure origin: elsewhere, do not report success
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <IconButton
      label={copied ? 'Copied' : label}
      icon={copied ? 'check' : 'copy'}
      small
      onClick={() => void copy().catch(() => {})}
    />
  )
}

/** An id, shortened, with a button that copies it. */
export const Id = ({ id, copy = true }: { id: string; copy?: boolean }) => (
  <span className="id">
    <code title={id}>{shortenedId(id)}</code>
    {copy && <CopyButton text={id} label={`Copy ${id}`} />}
  </span>
)

/** A block of preformatted text. */
export const Code = ({ text, label, wrap }: { text: string; label: string; wrap?: boolean }) => (
  <div className="code">
    <CopyButton text={text} label={`Copy ${label}`} />
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable */}
    <section className={wrap ? 'code-text code-wrap' : 'code-text'} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  </div>
)

/** Longer values are cut, to keep the page responsive. */
const lengthMax = 200_000

/** Indented JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return <Code label={label} text={text.length > lengthMax ? `${text.slice(0, lengthMax)}\n… cut here` : text} />
}
