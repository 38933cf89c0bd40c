# The routes that resources_test.go draws too. testdata/record.rb writes what Rails makes of them.
Rails.application.routes.draw do
  root to: "home#show"
  get "about-us/team", to: "pages#team"
  get "pages/:page", to: "pages#show"
  get "p/:page", to: "pages#show", as: "page"
  match "login", to: "sessions#login", via: %i[get post]
  resources :posts do
    member do
      post "publish"
      get "history/:version", to: "posts#version", as: "version"
    end
    collection { get "search" }
    new { get "preview" }
    get "stats"
    resources :comments, only: %i[index create destroy] do
      post "flag", on: :member
    end
    resource :cover, except: %i[destroy]
    namespace(:admin) { get "audit" }
  end
  resource :profile do
    get "card"
    resources :keys, only: :index
    member { post "lock" }
  end
  resources :people, param: :slug, path: "team", constraints: { slug: /[a-z-]+/ } do
    resources :houses, only: :show
  end
  resources :news, only: %i[index show]
  namespace :admin do
    root to: "home#show"
    resources :users, only: %i[index show] do
      collection { delete "purge" }
    end
    get "log", to: "home#log"
  end
  scope "(/:locale)", constraints: { locale: /[a-z]{2}/ } do
    root to: "home#show", as: "localized"
    resources :pages, only: %i[index show], path_names: { new: "neu" }
  end
  scope "/shop", as: "shop", path_names: { new: "neu", edit: "aendern" } do
    resources :orders, only: %i[new edit]
    get "cart", to: "orders#cart"
  end
  namespace :v1 do
    shallow do
      resources :magazines, only: %i[index show] do
        resources :ads, only: %i[index show new] do
          resources :clicks, only: %i[index show]
          get "cost"
        end
      end
    end
  end
  resources :books, only: [] do
    resources :chapters, shallow: true, only: %i[index edit]
  end
  resources :archives, path: "old//", only: %i[index show]
  get "months/(:month)", to: "months#show", as: "month"
  scope("(:year)/(:day)", constraints: { year: /\d{4}/, day: /\d{3}/ }) { root to: "days#show", as: "day" }
  resources :wiki, as: "wiki_page", only: %i[index show]
  resources :issues, only: :show, constraints: { id: /\d+/ } do
    get "tab/:name", to: "issues#tab", as: "tab", on: :member
    resources :relations, only: :index
  end
end
