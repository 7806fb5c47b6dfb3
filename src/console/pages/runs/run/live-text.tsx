/** Streaming text: additions are appended to the DOM without a render. */
import { useEffect, useRef } from 'react'
import type { GrowingText } from '../playground/growing-text.ts'

export function LiveText({ text, className }: { text: GrowingText; className?: string }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = element.current
    if (!place) return
    const node = document.createTextNode(text.text)
    place.replaceChildren(node)
    return text.watch((added) => node.appendData(added))
  }, [text])
  return <div ref={element} className={className} />
}
