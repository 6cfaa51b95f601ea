import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { defineConfig } from 'vitepress'

const root = resolve(import.meta.dirname, '../../..')
const repository = 'https://github.com/spream/spream'
const projectPages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

const sections: Record<string, Record<string, string>> = {
  Start: {
    'getting-started': 'Getting started',
    concepts: 'Concepts',
    'which-tool': 'Which tool when',
    glossary: 'Glossary',
  },
  Guides: {
    'sink-guide': 'Write a sink',
    'storage-provider': 'Write a storage',
    'testing-your-consumer': 'Test your consumer',
    'spring-boot': 'Spring Boot',
    flink: 'Flink',
    mirror: 'Mirror',
    files: 'Files and object storage',
    webhook: 'Webhook',
    outbox: 'Outbox',
    projections: 'Projections',
    search: 'Search',
    vocabulary: 'Vocabulary service',
    locks: 'Locks',
  },
  Operate: {
    deployment: 'Deployment',
    operations: 'Operations',
    errors: 'Errors',
    scaling: 'Scaling',
    metrics: 'Metrics',
    security: 'Security',
  },
  Reference: {
    configuration: 'Configuration',
    cli: 'Command line',
    benchmarks: 'Benchmarks',
    footprint: 'Footprint',
  },
  Project: {
    architecture: 'Architecture',
    testing: 'Tests',
    releasing: 'Releasing',
  },
}

const listed = Object.values(sections).flatMap((pages) => Object.keys(pages))
const missing = readdirSync(join(root, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length))
  .filter((page) => !listed.includes(page))
if (missing.length > 0) {
  throw new Error(`Pages of docs/ without a place in the sidebar: ${missing.join(', ')}. Add them to build-tools/site/.vitepress/config.mts`)
}

const otherFolders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'docs')
  .map((entry) => entry.name)

/** The anchors of GitHub, so that a link works in both places. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** The target of a relative link on a page: another page of the site, or a file of the repository. */
function target(href: string, page: string): string {
  const [path, anchor] = href.split('#')
  if (path === '' || /^[a-z]+:/.test(href)) {
    return href
  }
  const file = relative(root, resolve(root, dirname(page), path))
  if (!existsSync(join(root, file))) {
    throw new Error(`${page} links to ${href}, which does not exist`)
  }
  const fragment = anchor === undefined ? '' : `#${anchor}`
  if (file === 'README.md') {
    return `/${fragment}`
  }
  if (projectPages.includes(file) || /^docs\/[^/]+\.md$/.test(file)) {
    return `/${file}${fragment}`
  }
  return `${repository}/tree/main/${file}${fragment}`
}

export default defineConfig({
  title: 'spream',
  description: 'Cloud Spanner change streams for plain Java: every change, at least once and in order.',
  lang: 'en',
  srcDir: '../..',
  srcExclude: otherFolders.map((folder) => `${folder}/**`),
  outDir: '../../target/site',
  cacheDir: '../../target/site-cache',
  rewrites: { 'README.md': 'index.md' },
  vite: {
    // The pages lie outside this folder, which has the libraries.
    resolve: { alias: { vue: resolve(import.meta.dirname, '../node_modules/vue') } },
  },
  markdown: {
    html: false,
    anchor: { slugify: slug },
    toc: { slugify: slug },
    config(markdown) {
      markdown.core.ruler.push('repository-links', (state) => {
        for (const block of state.tokens) {
          for (const token of block.children ?? []) {
            const href = token.type === 'link_open' ? token.attrGet('href') : null
            if (href !== null) {
              token.attrSet('href', target(href, state.env.relativePath))
            }
          }
        }
      })
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Configuration', link: '/docs/configuration' },
      { text: 'Command line', link: '/docs/cli' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: Object.entries(sections).map(([text, pages]) => ({
      text,
      items: [
        ...(text === 'Start' ? [{ text: 'spream', link: '/' }] : []),
        ...Object.entries(pages).map(([page, title]) => ({ text: title, link: `/docs/${page}` })),
        ...(text === 'Project'
          ? [
              { text: 'Contributing', link: '/CONTRIBUTING' },
              { text: 'Security policy', link: '/SECURITY' },
              { text: 'Changelog', link: '/CHANGELOG' },
            ]
          : []),
      ],
    })),
  },
})
