/** Starts an embedded chart in a browser. */
import { createRoot } from 'react-dom/client'
import { startTheme } from '../shell/theme.ts'
import { Embedded } from './embedded.tsx'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/pages.css'
import '../styles/buttons.css'
import '../styles/states.css'
import '../styles/notices.css'

startTheme()
const element = document.getElementById('chart')
if (!element) throw new Error('the page has no place for the chart')
// the ticket authenticates: no cookie is sent, whichever site frames the page
createRoot(element).render(
  <Embedded
    address={new URL(location.href)}
    fetch={(url, init) => fetch(url, { ...init, credentials: 'omit', cache: 'no-store' })}
  />,
)
