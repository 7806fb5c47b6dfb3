/** Model output as Markdown. It is shown as plain text while the renderer loads, and if rendering would block the page. */
import { Component, lazy, type ReactNode, Suspense } from 'react'
import './markdown.css'

const Rendered = lazy(() => import('./markdown-view.tsx'))

const charactersMax = 50_000
/** Possible markup characters: parsing unclosed marks takes quadratic time. */
const marksMax = 3_000
const mark = /[*_~`[\]()<>|!]/g
/** Twenty nested quotes or lists: each is one level of recursion. */
const deep = /^(?:[ \t]*(?:>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])){20}/m

/** Whether rendering is fast for any content. */
export function isQuicklyDrawn(text: string): boolean {
  if (text.length > charactersMax || deep.test(text)) return false
  return (text.match(mark)?.length ?? 0) <= marksMax
}

export function Markdown({ text }: { text: string }) {
  const written = <div className="as-written">{text}</div>
  if (!isQuicklyDrawn(text)) return written
  return (
    <Otherwise shown={written}>
      <Suspense fallback={written}>
        <Rendered text={text} />
      </Suspense>
    </Otherwise>
  )
}

/** Renders a fallback if its content fails to load or render. */
class Otherwise extends Component<{ shown: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render() {
    return this.state.failed ? this.props.shown : this.props.children
  }
}
