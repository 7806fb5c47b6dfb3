/** The frame of what an Environment is configured with: a page with the ways to the others. */
import { at, type Place } from '../../places.ts'
import { Page, type PageProps } from '../../ui/page.tsx'
import { TabLinks } from '../../ui/tabs.tsx'
import { usePlace } from '../../use-place.ts'

/** The pages of an Environment's configuration. */
export const configurationTabs = (place: Place): { title: string; href: string }[] => [
  { title: 'Revisions', href: at(place, 'configuration') },
  { title: 'Variables', href: at(place, 'configuration', 'variables') },
  { title: 'Connections', href: at(place, 'configuration', 'connections') },
  { title: 'Models', href: at(place, 'configuration', 'models') },
]

export function ConfigurationFrame({ children, ...page }: PageProps) {
  const place = usePlace()
  return (
    <Page {...page}>
      <TabLinks label="Configuration" tabs={configurationTabs(place)} />
      {children}
    </Page>
  )
}

/** What is configured counts when it is deployed. */
export const CountsWhenDeployed = () => (
  <p className="faint">
    Runs use it once a Configuration Revision with it is deployed and activated; what is deployed keeps what it pins.
  </p>
)
