import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/explore/",
  plugins: [svelte()],
  build: {
    outDir: "../src/hmem/interfaces/explorer",
    emptyOutDir: true,
    // The page's policy allows no script and no style in the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8765" } },
});
