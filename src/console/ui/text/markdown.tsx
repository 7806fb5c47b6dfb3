/**
 * What a model has written, as it is meant to look. Until that is loaded, and where it would hold the page up, it is shown as
 * it was written.
 */
import { Component, lazy, type ReactNode, Suspense } from 'react'
import './markdown.css'

const Rendered = lazy(() => import('./markdown-view.tsx'))

const charactersMax = 50_000
/** Of what may be markup: the time that unclosed marks take grows with the square of their number. */
const marksMax = 3_000
const mark = /[*_~`[\]()<>|!]/g
/** Twenty quotations or lists within each other; each is one call deeper when they are drawn. */
const deep = /^(?:[ \t]*(?:>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])){20}/m

/** Whether it is drawn in a moment, whatever is in it. */
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

/** Shows something else where its content cannot be loaded or drawn. */
class Otherwise extends Component<{ shown: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render() {
    return this.state.failed ? this.props.shown : this.props.children
  }
}
