/** Browser entry point. */
import { createRoot } from 'react-dom/client'
import { Console } from './console.tsx'
import { startTheme } from './shell/theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/account.css'
import './styles/entrance.css'
import './styles/pages.css'
import './styles/buttons.css'
import './styles/states.css'
import './styles/tables.css'
import './styles/notices.css'
import './styles/forms.css'
import './styles/dialogs.css'
import './styles/tabs.css'
import './styles/code.css'
import './styles/forced-colors.css'

startTheme()
const element = document.getElementById('console')
if (!element) throw new Error('the page has no root element')
createRoot(element).render(<Console origin={location.origin} fetch={(url, init) => fetch(url, init)} />)
